// The tests that take too long for every change: the whole suite on both databases, with more histories of the model and the
// mirror law for all users; attacks as a load; newer Nodes, Deno and Bun; generated clients and mock servers; long polls through proxies; the container image. Goes on after a failure.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const env = { ...process.env, PARLEY_TEST_LONG: '1' };

const steps = [
  ['node', 'packages/server/scripts/test.mjs'],
  ['bash', 'packages/server/scripts/newer-node.sh'],
  ['bash', 'packages/client/scripts/runtimes.sh'],
  ['node', 'packages/client/scripts/generators/run.mjs'],
  ['node', 'packages/client/scripts/tools/run.mjs'],
  ['npm', 'run', 'bench', '--', 'abuse', 'overload'],
  ['npm', 'run', 'deploy:test'],
  ['npm', 'run', 'deploy:test:long'],
];

const failed = steps.filter(([command, ...words]) => {
  console.log(`\n== ${command} ${words.join(' ')}`);
  return spawnSync(command, words, { cwd: root, env, stdio: 'inherit' }).status !== 0;
});
for (const words of failed) console.log(`FAILED: ${words.join(' ')}`);
console.log(`${steps.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
