#!/usr/bin/env bash
# Builds the image and runs it: size, user, read-only root, readiness, health check, SIGTERM, data after a restart.
# The script needs no registry: it builds the two base images from Debian's packages and the binary in the npm package `node`.
# Run it as root, with buildah, podman, crun and mmdebstrap installed (deploy/test/install.sh image).
set -euo pipefail
cd "$(dirname "$0")/../.."

for tool in buildah podman crun mmdebstrap curl; do
  command -v "$tool" >/dev/null || { echo "NOT RUN: container image: $tool is not installed"; exit 0; }
done
[ "$(id -u)" -eq 0 ] || { echo "NOT RUN: container image: only root can build it"; exit 0; }

# crun does not run with cgroups of version 1. The test needs no cgroups, so it runs in a mount namespace without them.
if [ -d /sys/fs/cgroup/unified ]; then
  exec unshare --mount --propagation private bash -c 'umount -R /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup && exec bash "$@"' - "deploy/test/image.sh" "$@"
fi

work=$(mktemp -d "${1:-/tmp}/parley-image-XXXXXX")
export CONTAINERS_STORAGE_CONF="$work/storage.conf"
printf '[storage]\ndriver = "%s"\ngraphroot = "%s"\nrunroot = "%s"\n' "${STORAGE_DRIVER:-overlay}" "$work/storage" "$work/run" >"$CONTAINERS_STORAGE_CONF"
finish() {
  podman rm --all --force --time 0 >/dev/null 2>&1 || true
  buildah rm --all >/dev/null 2>&1 || true
  umount "$work/storage/overlay" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
passed=0
check() { # name, expected value, actual value
  if [ "$2" != "$3" ]; then echo "FAILED: $1: expected $2, got $3"; exit 1; fi
  passed=$((passed + 1)); echo "ok: $1: $3"
}

node_image=$(sed -n 's/^ARG NODE_IMAGE=//p' deploy/Dockerfile)
version=$(sed -E 's/.*node:([0-9.]+)-.*/\1/' <<<"$node_image")
echo "== Base images: Debian, and Node $version"
npm install --prefix "$work/npm" --no-audit --no-fund --loglevel=error "node@$version"
mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$work/build.tar"
mmdebstrap --quiet --variant=extract --include=base-files,netbase,tzdata,libc6,libstdc++6,libgcc-s1 bookworm "$work/runtime.tar"
from_tar() { # name of the image, archive
  local container; container=$(buildah from scratch)
  buildah add --quiet "$container" "$2" / >/dev/null
  if [ "$1" = node ]; then
    buildah copy --quiet "$container" "$work/npm/node_modules/node/bin/node" /usr/local/bin/node >/dev/null
    buildah copy --quiet "$container" "$(npm root -g)/npm" /usr/local/lib/node_modules/npm >/dev/null
    buildah copy --quiet "$container" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt >/dev/null
    buildah run --isolation chroot "$container" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
    buildah run --isolation chroot "$container" -- ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
    buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  fi
  buildah commit --quiet --rm "$container" "localhost/$1" >/dev/null
  rm "$2"
}
from_tar node "$work/build.tar"
from_tar runtime "$work/runtime.tar"

echo "== Build"
buildah build --quiet --isolation chroot --format docker --file deploy/Dockerfile --tag localhost/parley \
  --build-arg NODE_IMAGE=localhost/node --build-arg RUNTIME_IMAGE=localhost/runtime . >/dev/null
size=$(podman image inspect --format '{{.Size}}' localhost/parley)
echo "The size of the image is $((size / 1000000)) MB."
check "smaller than 250 MB" yes "$([ "$size" -lt 250000000 ] && echo yes || echo "no, $size bytes")"
check "the user is a number and not root" 65532:65532 "$(podman image inspect --format '{{.User}}' localhost/parley)"
echo "== Run"
# Limits below those of all machines: a container within a container cannot raise them.
options=(--ulimit nofile=4096:4096 --ulimit nproc=4096:4096 --cgroups disabled --health-interval disable --network host)
check "contains no build tools" none "$(podman run --rm "${options[@]}" --entrypoint /usr/local/bin/node localhost/parley -e \
  "console.log(['astro','typescript','turbo','vitest'].filter((name) => require('fs').existsSync('/opt/parley/node_modules/' + name)).join() || 'none')")"

port=$(node scripts/free-port.mjs)
start() {
  podman run --detach --name parley "${options[@]}" --read-only --read-only-tmpfs=false --cap-drop all \
    --security-opt no-new-privileges --volume parley-data:/var/lib/parley --env "PARLEY_PORT=$port" localhost/parley >/dev/null
  for _ in $(seq 300); do
    if curl -fs "http://127.0.0.1:$port/readyz" >/dev/null; then return; fi
    sleep 0.2
  done
  podman logs parley; return 1
}
in_image() { podman exec parley /usr/local/bin/node "$@"; }
status() { curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port$1"; }

start
check "ready with a read-only root" 200 "$(status /readyz)"
check "serves the API reference" 200 "$(status /docs/)"
check "runs as user" 65532 "$(in_image -p 'process.getuid()')"
check "only the volume is writable" EROFS "$(in_image -p 'try { fs.writeFileSync("/opt/parley/x", ""); "written" } catch (error) { error.code }')"
check "the health check passes" healthy "$(podman healthcheck run parley >/dev/null && echo healthy || echo unhealthy)"
printf 'correct horse battery staple' | podman exec --interactive parley /usr/local/bin/node -e \
  'process.stdin.pipe(fs.createWriteStream("/var/lib/parley/password"))'
in_image /opt/parley/node_modules/.bin/parley realm create --subdomain acme --name Acme --owner-email ada@acme.example \
  --owner-name Ada --owner-password-file /var/lib/parley/password >/dev/null
podman stop --time 20 parley >/dev/null
check "exit code after SIGTERM" 0 "$(podman inspect --format '{{.State.ExitCode}}' parley)"
podman rm parley >/dev/null
start
check "data is present in the next container" 1 "$(in_image /opt/parley/node_modules/.bin/parley realm list | grep -c Acme)"
podman rm --force --time 0 parley >/dev/null
echo "$passed passed, 0 failed"
