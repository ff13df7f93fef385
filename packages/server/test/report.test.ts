// The report at the end of a run of the suite.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

interface Reported {
  readonly name: string;
}
interface ReportModule {
  readReport(path: string, root: string): { files: Reported[] };
  totalsOf(files: Reported[]): { passed: number; failed: number };
  failuresOf(files: Reported[]): string[];
  notRun(files: Reported[], missing: string): string[];
  slowestOf(files: Reported[]): string[];
}
const script = new URL('../scripts/report.mjs', import.meta.url).href;
const { readReport, totalsOf, failuresOf, notRun, slowestOf } = (await import(script)) as ReportModule;

const folder = mkdtempSync(join(tmpdir(), 'parley-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const one = (fullName: string, status: string, message?: string) => ({
  fullName,
  status,
  duration: 5,
  failureMessages: message ? [message] : [],
});
const file = (name: string, status: string, assertionResults: object[], message = '') => ({
  name: `/house/${name}`,
  status,
  message,
  startTime: 0,
  endTime: 2_500,
  assertionResults,
});

const seed = 'Property failed after 3 tests\n{ seed: -42, path: "2:1:0", endOnFailure: true }';
const path = join(folder, 'report.json');
writeFileSync(
  path,
  JSON.stringify({
    testResults: [
      file('a.test.ts', 'failed', [
        one('adds', 'passed'),
        one('draws', 'failed', seed),
        one('logs in (needs slapd)', 'skipped'),
        one('shares', 'skipped'),
      ]),
      file('a.test.ts', 'passed', [one('shares', 'passed')]),
      file('b.test.ts', 'failed', [], 'SyntaxError: no'),
    ],
  }),
);
const { files } = readReport(path, '/house');

test('a file that does not load counts as a failure', () => {
  expect(totalsOf(files)).toEqual({ passed: 2, failed: 2 });
});

test('a failure ends with the command that runs it again, with its seed', () => {
  const [drawn, unloaded] = failuresOf(files);
  expect(drawn?.split('\n').at(-1)).toBe('Again: PARLEY_TEST_SEED=-42 PARLEY_TEST_PATH=2:1:0 npm test -- a.test.ts');
  expect(unloaded).toBe('FAILED: b.test.ts\nSyntaxError: no');
});

test('tests that ran on no database are listed with what they need', () => {
  expect(notRun(files, 'none')).toEqual(['NOT RUN: 1 tests, which need slapd']);
});

test('the slowest files are listed first', () => {
  expect(slowestOf(files)[1]).toBe('    2.5 s  a.test.ts');
});

test('a run that wrote no report has no results', () => {
  expect(totalsOf(readReport(join(folder, 'none.json'), '/house').files)).toEqual({ passed: 0, failed: 0 });
});
