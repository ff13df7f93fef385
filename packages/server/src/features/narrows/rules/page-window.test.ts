import { expect, test } from 'vitest';
import { BEYOND_NEWEST, lowerLimits, toMessagePage, toPageWindow } from './page.ts';

const params = { anchor: 5, num_before: 2, num_after: 2, include_anchor: true };
const oldest = { found_oldest: true, found_newest: false };
test.each([
  [
    'in the middle',
    {},
    [2, 3, 4, 5, 6, 7, 8],
    { ids: [3, 4, 5, 6, 7], found_anchor: true, found_oldest: false, found_newest: false },
  ],
  [
    'exactly at both ends',
    {},
    [3, 4, 5, 6, 7],
    { ids: [3, 4, 5, 6, 7], found_anchor: true, found_oldest: true, found_newest: true },
  ],
  [
    'without a message at the anchor',
    {},
    [4, 6],
    { ids: [4, 6], found_anchor: false, found_oldest: true, found_newest: true },
  ],
  ['only before', { num_after: 0 }, [4, 5, 6], { ids: [4, 5], found_anchor: true, ...oldest }],
  [
    'only after, the anchor left out',
    { num_before: 0, include_anchor: false },
    [5, 6],
    { ids: [6], found_anchor: false, found_oldest: false, found_newest: true },
  ],
  [
    'of nothing',
    { num_before: 0, num_after: 0 },
    [5],
    { ids: [5], found_anchor: true, found_oldest: true, found_newest: true },
  ],
])('a page %s', (_case, more, found, page) => expect(toMessagePage(found, { ...params, ...more })).toEqual(page));

test('an anchor that is left out counts as older than a page without anything before it', () => {
  const only = { ...params, num_before: 0, include_anchor: false };
  expect(toPageWindow(only)).toMatchObject({ before: 6, num_before: 1, at: null, after: 5, num_after: 3 });
});

test.each([
  ['the oldest message', 0, 'oldest'],
  ['the newest message', BEYOND_NEWEST, 'newest'],
  ['a message', 5, 'middle'],
] as const)('a page around %s is looked for on the sides that can have messages', (_where, anchor, end) => {
  expect(toPageWindow({ ...params, anchor }).end).toBe(end);
});

test.each([
  ['as asked for', 2000, 3000, [2000, 3000]],
  ['one side', 9000, 0, [5000, 0]],
  ['what one side leaves', 100, 9000, [100, 4900]],
  ['what the other leaves', 9000, 100, [4900, 100]],
  ['halves', 9000, 9000, [2500, 2500]],
] as const)('a window of at most 5000 messages: %s', (_case, num_before, num_after, [before, after]) => {
  expect(lowerLimits({ num_before, num_after }, 5000)).toEqual({ num_before: before, num_after: after });
});
