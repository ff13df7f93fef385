// Runs the suite: all of it on PostgreSQL, and on the embedded database what can differ there. PostgreSQL is the one that
// DATABASE_URL names, or one that is started for the run. Without any, all runs on the embedded database.
// `npm test -- FILE...` runs the files that are named. Ends with a line of totals.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from './postgres.mjs';
import { failuresOf, notRun, readReport, slowestOf, totalsOf } from './report.mjs';
import { unseenAnswers } from './unseen-answers.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const only = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'parley-suite-'));
const postgres = process.env.DATABASE_URL ? { url: process.env.DATABASE_URL } : await startPostgres();
try {
  process.exitCode = summarize(run()) ? 0 : 1;
} finally {
  await postgres.stop?.();
  rmSync(folder, { recursive: true, force: true });
}

/** Runs vitest and returns what it reported. */
function run() {
  const where = postgres.url
    ? `PostgreSQL ${postgres.version ?? ''} and the embedded database`
    : 'the embedded database';
  console.log(`== The suite on ${where}`);
  const { DATABASE_URL: _, ...env } = process.env;
  const answers = join(folder, 'answers');
  mkdirSync(answers);
  const report = join(folder, 'report.json');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...only, ...reporters], {
    cwd: root,
    env: { ...env, SEEN_ANSWERS_FOLDER: answers, ...(postgres.url && { DATABASE_URL: postgres.url }) },
    stdio: 'inherit',
  });
  return { ...readReport(report, root), status, answers };
}

/** Prints what there is to know of the run, the totals last; returns whether all is well. */
function summarize({ files, status, answers }) {
  const { passed, failed } = totalsOf(files);
  // A run of some files, or one that failed, has not seen all answers.
  const unseen = status === 0 && only.length === 0 ? unseenAnswers(readDocument(), answers) : [];
  const failures = failuresOf(files);
  if (unseen.length > 0) failures.push(`FAILED: documented and never seen:\n${unseen.join('\n')}`);
  if (status !== 0 && failures.length === 0) failures.push(`FAILED: vitest ended with ${status}`);
  console.log(slowestOf(files).join('\n'));
  for (const line of notRun(files, postgres.missing)) console.log(line);
  for (const failure of failures) console.log(`\n${failure}`);
  console.log(`${passed} passed, ${Math.max(failed, failures.length)} failed`);
  return failures.length === 0;
}

function readDocument() {
  return JSON.parse(readFileSync(join(root, 'openapi/generated/openapi.json'), 'utf8'));
}
