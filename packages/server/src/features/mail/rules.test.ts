import { expect, test } from 'vitest';
import { getNextAttempt } from './rules.ts';

const MINUTE = 60_000;
const written = new Date('2026-01-05T09:00:00Z');
const after = (minutes: number) => new Date(written.getTime() + minutes * MINUTE);

test.each([
  ['a minute after the first attempt', 1, 0, 1],
  ['two after the second', 2, 1, 3],
  ['and so on', 5, 20, 36],
  ['but at most an hour', 12, 100, 160],
  ['up to a day after the email was written', 30, 1380, 1440],
  ['and then not any more', 30, 1381, undefined],
] as const)('an email is retried %s', (_case, attempts, now, next) => {
  expect(getNextAttempt(attempts, written, after(now))).toEqual(next === undefined ? undefined : after(next));
});
