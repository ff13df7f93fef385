#!/usr/bin/env bash
# Runs a part of the suite, and a server, on a newer Node than the one installed; an npm package carries the binary.
set -eu
work=$(mktemp -d "${1:-/tmp}/node-XXXX")
trap 'rm -rf "$work"' EXIT
cp packages/server/scripts/newer-node/package*.json "$work"
npm ci --prefix "$work" --no-audit --no-fund >/dev/null
node=$(echo "$work"/node_modules/node24-*/bin/node)
"$node" --version

files=(packages/server/test/wire/ packages/server/test/sdk/calls.test.ts packages/server/test/sdk/calls-server.test.ts packages/server/test/sdk/events.test.ts)
# With PARLEY_TEST_LONG, every operation and every error code too.
if [ -n "${PARLEY_TEST_LONG:-}" ]; then files+=(packages/server/test/contract.test.ts); fi
"$node" node_modules/vitest/vitest.mjs run "${files[@]}"

port=$(node scripts/free-port.mjs)
PARLEY_PORT=$port PARLEY_DATA_DIR="$work/data" PARLEY_LOG=warn "$node" packages/server/bin/parley.mjs serve &
server=$!
for _ in $(seq 100); do
  if curl -fs "http://127.0.0.1:$port/readyz" >/dev/null; then break; fi
  sleep 0.2
done
curl -fs -H 'Host: localhost' "http://127.0.0.1:$port/api/v1/server_settings" | grep -q '"result":"success"'
kill -TERM "$server"
wait "$server"
