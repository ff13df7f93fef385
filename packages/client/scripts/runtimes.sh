#!/usr/bin/env bash
# Runs the client where it promises to run: Node 22 and 26, Deno and Bun, each from its npm package, against a demo server.
set -eu
cd "$(dirname "$0")/../../.."
work=$(mktemp -d "${1:-/tmp}/runtimes-XXXX")
port=$(node scripts/free-port.mjs)
PARLEY_PORT=$port PARLEY_DATA_DIR="$work/data" PARLEY_LOG=warn node packages/server/bin/parley.mjs dev >/dev/null &
server=$!
finish() { kill -TERM $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$work"; }
trap finish EXIT

cp packages/client/scripts/runtimes/package*.json "$work"
npm ci --prefix "$work" --no-audit --no-fund >/dev/null
for _ in $(seq 100); do
  if curl -fs "http://localhost:$port/readyz" >/dev/null; then break; fi
  sleep 0.2
done

script=packages/client/scripts/everywhere.mjs
modules="$work/node_modules"
for runtime in "$(echo "$modules"/node22-*/bin/node)" "$(echo "$modules"/node26-*/bin/node)" \
  "$modules/.bin/deno run --allow-all" "$modules/.bin/bun run"; do
  echo "$(basename "${runtime%% *}") $(${runtime%% *} --version | head -n 1)"
  $runtime $script "http://localhost:$port"
done
