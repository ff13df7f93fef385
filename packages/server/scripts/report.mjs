// What a run of the suite says at its end, worked out from vitest's JSON reports.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const SLOWEST = 10;

/** One test of one file, as the report lists it. */
export function readReport(path, root) {
  const { testResults = [], success = false } = read(path);
  const files = testResults.map((file) => ({
    name: relative(root, file.name),
    status: file.status,
    message: file.message ?? '',
    milliseconds: file.endTime - file.startTime,
    tests: file.assertionResults,
  }));
  return { files, success };
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}

/** How many tests passed and failed. A file that does not load counts as a failure, without a failed test in it. */
export function totalsOf(files) {
  const tests = files.flatMap((file) => file.tests);
  const unloaded = files.filter((file) => file.status === 'failed' && !file.tests.some(isFailed));
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: tests.filter(isFailed).length + unloaded.length,
  };
}

const isFailed = ({ status }) => status === 'failed';

/** What failed, each with the first lines of its reason and how to run it again. */
export function failuresOf(files) {
  return files.flatMap((file) => {
    const failed = file.tests.filter(isFailed);
    if (failed.length === 0 && file.status === 'failed') return [`FAILED: ${file.name}\n${firstLines(file.message)}`];
    return failed.map((test) => {
      const reason = test.failureMessages.join('\n');
      return `FAILED: ${file.name} > ${test.fullName}\n${firstLines(reason)}\n${again(file.name, reason)}`;
    });
  });
}

/** The command that runs a failed file again: with the seed, where its values were drawn by chance. */
function again(file, reason) {
  const seed = /seed: (-?\d+)/.exec(reason)?.[1];
  const path = /path: "([\d:]+)"/.exec(reason)?.[1];
  const variables = [seed && `PARLEY_TEST_SEED=${seed}`, path && `PARLEY_TEST_PATH=${path}`].filter(Boolean);
  return `Again: ${[...variables, 'npm test --', file].join(' ')}`;
}

const firstLines = (text) => text.split('\n', 12).join('\n');

/** The slowest files and tests, slowest first. */
export function slowestOf(files) {
  const line = (milliseconds, name) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${name}`;
  const slowest = (list) => list.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SLOWEST);
  const tests = files.flatMap(({ name, tests }) =>
    tests.map(({ duration = 0, fullName }) => ({ milliseconds: duration, name: `${name} > ${fullName}` })),
  );
  return [
    'The slowest files:',
    ...slowest([...files]).map(({ milliseconds, name }) => line(milliseconds, name)),
    'The slowest tests:',
    ...slowest(tests).map(({ milliseconds, name }) => line(milliseconds, name)),
  ];
}

/**
 * The tests that no project of the run ran, by what they need. A title says it in the words "(needs X)"; without them, a test
 * needs a PostgreSQL.
 */
export function notRun(files, missingPostgres) {
  const id = (file, test) => `${file.name} > ${test.fullName}`;
  const all = files.flatMap((file) => file.tests.map((test) => ({ id: id(file, test), status: test.status })));
  const ran = new Set(all.filter(({ status }) => status === 'passed' || status === 'failed').map((test) => test.id));
  const missing = new Map();
  for (const { id } of all) {
    if (ran.has(id)) continue;
    const reason = /\(needs ([^)]+)\)/.exec(id)?.[1] ?? `PostgreSQL: ${missingPostgres}`;
    missing.set(reason, (missing.get(reason) ?? new Set()).add(id));
  }
  return [...missing].map(([reason, tests]) => `NOT RUN: ${tests.size} tests, which need ${reason}`);
}
