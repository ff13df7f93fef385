import { expect, test } from 'vitest';
import { countExpired, getCutoff } from './rules.ts';

const now = new Date('2030-03-31T12:00:00Z');

test.each([
  ['a day is 24 hours, whatever the clocks are put to', 1, '2030-03-30T12:00:00.000Z'],
  ['for ever is no time at all', -1, undefined],
  ['more days than there are dates keep everything', 2_147_483_647, '1970-01-01T00:00:00.000Z'],
])('%s', (_, days, cutoff) => {
  expect(getCutoff(days, now)?.toISOString()).toBe(cutoff);
});

test.each([
  ['nothing', [], 0],
  ['all', [7, 9], 2],
  ['the older ones', [7, 9, 10, 11], 2],
  ['a clock that was behind', [7, 11, 9], 1],
])('counts the oldest messages up to the first that is kept: %s', (_, times, count) => {
  expect(
    countExpired(
      times.map((sent_at) => ({ sent_at })),
      new Date(10),
    ),
  ).toBe(count);
});
