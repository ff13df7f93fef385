// Runs the suite: all of it on PostgreSQL, and on the embedded database what can differ there. PostgreSQL is the one that
// DATABASE_URL names, or one that is started for the run. Without any, all runs on the embedded database.
// `npm test -- FILE...` runs the files that are named, `npm test -- --force` also what has not changed since it passed.
// A whole run ends with a comparison of the rows of hand-written SQL with their types; `npm test -- --rows FILE...` has it, too.
// Ends with a line of totals.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPostgres } from './postgres.mjs';
import { failuresOf, notRun, readReport, slowestOf, totalsOf } from './report.mjs';
import { onlyOnPostgres } from './seen-statements.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const words = process.argv.slice(2);
const only = words.filter((word) => !['--force', '--rows'].includes(word));
const workspaces = ['.', 'openapi', 'packages/db', 'packages/server', 'apps/docs'].map((path) =>
  join(root, path, '.test'),
);
const folder = mkdtempSync(join(tmpdir(), 'parley-suite-'));
const postgres = process.env.DATABASE_URL ? { url: process.env.DATABASE_URL } : await startPostgres();
try {
  process.exitCode = (await summarize(await run())) ? 0 : 1;
} finally {
  await postgres.stop?.();
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the tests and returns what they reported. */
async function run() {
  const where = postgres.url
    ? `PostgreSQL ${postgres.version ?? ''} and the embedded database`
    : 'the embedded database';
  console.log(`== The suite on ${where}`);
  const { DATABASE_URL: _, ...rest } = process.env;
  const env = { ...rest, PARLEY_TEST_DATABASES: where, ...(postgres.url && { DATABASE_URL: postgres.url }) };
  return only.length > 0 ? runFiles(env) : runWorkspaces(env);
}

/** Builds everything, since each file may need another part, and runs the files that are named. */
async function runFiles(env) {
  if ((await call(join(root, 'packages/server/scripts/ready.mjs'), ['build'], env)) !== 0)
    return { files: [], status: 1 };
  const report = join(folder, 'report.json');
  const rows = join(folder, 'rows');
  mkdirSync(rows);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const recorded = words.includes('--rows') ? { ...env, SEEN_ROWS_FOLDER: rows } : env;
  const status = await call(vitest, ['run', ...only, ...reporters], recorded);
  return {
    files: readReport(report, root).files,
    status,
    mistyped: words.includes('--rows') ? listMistyped([rows]) : [],
  };
}

/** Has turbo build what the tests of each workspace need, and run those of workspaces that changed since they passed. */
async function runWorkspaces(env) {
  for (const path of workspaces) rmSync(path, { recursive: true, force: true });
  const force = words.includes('--force') ? ['--force'] : [];
  const options = ['--continue=always', '--concurrency=3', '--log-order=stream', '--output-logs=full'];
  const status = await call(
    join(root, 'node_modules/turbo/bin/turbo'),
    ['run', 'test', 'test:root', ...options, ...force],
    env,
  );
  return { files: workspaces.flatMap((path) => readReport(join(path, 'report.json'), root).files), status };
}

/** Runs a program to its end; what ends this process ends it first, so that PostgreSQL is stopped after it. */
async function call(program, args, env) {
  const child = spawn(process.execPath, [program, ...args], { cwd: root, env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [status, signal] = await once(child, 'exit');
  return status ?? signal;
}

/** Prints what there is to know of the run, the totals last; returns whether all is well. */
async function summarize({ files, status, mistyped = [] }) {
  const { passed, failed } = totalsOf(files);
  const failures = [...failuresOf(files), ...mistyped];
  // A run of some files, or one that failed, has not seen everything.
  if (status === 0 && only.length === 0) failures.push(...(await notSeen()));
  if (status !== 0 && failures.length === 0) failures.push(`FAILED: the tests ended with ${status}`);
  console.log(slowestOf(files).join('\n'));
  for (const line of notRun(files, postgres.missing)) console.log(line);
  for (const failure of failures) console.log(`\n${failure}`);
  console.log(`${passed} passed, ${Math.max(failed, failures.length)} failed`);
  return failures.length === 0;
}

/** Fails for documented responses that no test saw, and lists statements that did not run on the embedded database. */
async function notSeen() {
  // It reads the document with what the run has built.
  const { listUnseenResponses } = await import('./unseen-responses.mjs');
  const folders = (name) => workspaces.map((path) => join(path, name)).filter(existsSync);
  const read = (name) => JSON.parse(readFileSync(join(root, 'openapi/generated', name), 'utf8'));
  const answers = listUnseenResponses(read('openapi.json'), folders('answers'), read('bundle.json'));
  const statements = postgres.url ? onlyOnPostgres(folders('statements')) : [];
  if (statements.length > 0) {
    console.log(`${statements.length} statements of the server ran on PostgreSQL only:`);
    for (const statement of statements) console.log(statement.slice(0, 160));
  }
  return [
    ...(answers.length > 0 ? [`FAILED: documented and never seen:\n${answers.join('\n')}`] : []),
    ...listMistyped(folders('rows'), '--all'),
  ];
}

/** Fails for statements whose rows are not of the type that the sources declare (`test/sql/`). */
function listMistyped(folders, ...words) {
  const script = fileURLToPath(new URL('../test/sql/check.ts', import.meta.url));
  const program = [join(root, 'node_modules/tsx/dist/cli.mjs'), script, ...folders, ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: root, encoding: 'utf8' });
  return status === 0 ? [] : [`FAILED: rows of statements are not of their types:\n${stdout}${stderr}`];
}
