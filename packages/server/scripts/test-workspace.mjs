// Runs the tests of the workspace that npm was called in, for turbo. What they reported goes to its folder `.test`, which turbo
// keeps: the tests of a workspace that did not change are not run again on this machine.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const workspace = relative(root, process.cwd()) || '.';
const folder = join(process.cwd(), '.test');
rmSync(folder, { recursive: true, force: true });
for (const name of ['answers', 'rows', 'statements']) mkdirSync(join(folder, name), { recursive: true });

const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${join(folder, 'report.json')}`,
  ],
  {
    cwd: root,
    env: {
      ...process.env,
      PARLEY_TEST_WORKSPACE: workspace,
      SEEN_ANSWERS_FOLDER: join(folder, 'answers'),
      SEEN_ROWS_FOLDER: join(folder, 'rows'),
      SEEN_STATEMENTS_FOLDER: join(folder, 'statements'),
    },
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
