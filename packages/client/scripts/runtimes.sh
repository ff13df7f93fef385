#!/usr/bin/env bash
# Runs the client where it promises to run: Node 22 and 26, Deno and Bun, each from its npm package, against a demo server.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d "${1:-/tmp}/runtimes-XXXX")
port=$((20000 + RANDOM % 20000))
PARLEY_PORT=$port PARLEY_DATA_DIR="$work/data" PARLEY_LOG=warn node packages/server/bin/parley.mjs dev >/dev/null &
server=$!
finish() { kill -TERM $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$work"; }
trap finish EXIT

for name in node22 node26; do npm install --prefix "$work/$name" --no-save --no-audit --no-fund "node@${name#node}" >/dev/null; done
npm install --prefix "$work/others" --no-save --no-audit --no-fund deno@2.9.6 bun@1.4.5 >/dev/null
for _ in $(seq 100); do
  if curl -fs "http://localhost:$port/readyz" >/dev/null; then break; fi
  sleep 0.2
done

script=packages/client/scripts/everywhere.mjs
for runtime in "$work/node22/node_modules/node/bin/node" "$work/node26/node_modules/node/bin/node" \
  "$work/others/node_modules/.bin/deno run --allow-all" "$work/others/node_modules/.bin/bun run"; do
  echo "$(basename "${runtime%% *}") $(${runtime%% *} --version | head -n 1)"
  $runtime $script "http://localhost:$port"
done
