// Runs the whole suite on the embedded database, then on PostgreSQL where one is to be had: the one that DATABASE_URL names,
// or a local server that lets user `postgres` in. Each whole run must have seen every answer that the document promises.
// Ends with a line of totals.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unseenAnswers } from './unseen-answers.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const LOCAL = 'postgres://postgres@127.0.0.1:5432/postgres';
const folder = mkdtempSync(join(tmpdir(), 'parley-suite-'));
const { DATABASE_URL: given, ...rest } = process.env;
const totals = { passed: 0, failed: 0 };
const failures = [];

/** What has nothing to do with a database, and takes its time. */
const onceIsEnough = [
  'apps/docs/**',
  '**/test/docs/**',
  '**/test/scenes.test.ts',
  '**/src/text/**',
  '**/sdk/package.test.ts',
  '**/sdk/types.test.ts',
];

run('embedded', rest, []);
const url = given ?? (await localServer());
if (url)
  run(
    'postgres',
    { ...rest, DATABASE_URL: url },
    onceIsEnough.flatMap((files) => ['--exclude', files]),
  );
else console.log('No PostgreSQL to be had: the suite ran on the embedded database only.');

rmSync(folder, { recursive: true, force: true });
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed === 0 ? 0 : 1);

function run(name, env, options) {
  console.log(`\n== The suite on ${name === 'embedded' ? 'the embedded database' : 'PostgreSQL'}`);
  const report = join(folder, `${name}.json`);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [
    vitest,
    'run',
    ...process.argv.slice(2),
    ...options,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const seen = join(folder, `${name}-answers`);
  mkdirSync(seen);
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...env, SEEN_ANSWERS_FOLDER: seen },
    stdio: 'inherit',
  });
  const { numPassedTests = 0, numFailedTests = 0, numFailedTestSuites = 0, testResults = [] } = summary(report);
  totals.passed += numPassedTests;
  // A file that cannot even be loaded fails without a failed test in it.
  totals.failed += Math.max(numFailedTests, numFailedTestSuites > 0 || status !== 0 ? 1 : 0);
  failures.push(...testResults.flatMap((file) => failed(file).map((title) => `${name}: ${title}`)));
  // A run that failed, or of some files only, has not seen all there is.
  if (status === 0 && process.argv.length === 2) mustHaveSeenAll(name, seen);
}

function mustHaveSeenAll(name, folder) {
  const document = JSON.parse(readFileSync(join(root, 'openapi/generated/openapi.json'), 'utf8'));
  const unseen = unseenAnswers(document, folder);
  if (unseen.length === 0) return void console.log('Every answer that the document promises was seen.');
  totals.failed += 1;
  failures.push(`${name}: promised by the document and never seen:\n${unseen.join('\n')}`);
}

/** What failed in a file, each with the first lines of its reason; the file itself where it could not be loaded. */
function failed({ name, status, message, assertionResults }) {
  const file = relative(root, name);
  const titles = assertionResults
    .filter((test) => test.status === 'failed')
    .map((test) => `${file} > ${test.fullName}\n${firstLines(test.failureMessages.join('\n'))}`);
  return titles.length === 0 && status === 'failed' ? [`${file}\n${firstLines(message ?? '')}`] : titles;
}

function firstLines(text) {
  return text.split('\n', 12).join('\n');
}

function summary(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return {};
  }
}

async function localServer() {
  const { default: postgres } = await import('postgres');
  const sql = postgres(LOCAL, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await sql`select 1`;
    return LOCAL;
  } catch {
    return undefined;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
