import { expect, test } from 'vitest';
import {
  computeMovedRecords,
  listNumbers,
  type Range,
  renumberRanges,
  toMultirange,
  toRanges,
} from './moved-records.ts';

test.each([
  ['{}', []],
  ['{[1,2)}', [[1, 2]]],
  [
    '{[1,5),[9,12),[100,101)}',
    [
      [1, 5],
      [9, 12],
      [100, 101],
    ],
  ],
])('the ranges of %s', (literal, ranges) => {
  expect(toRanges(literal)).toEqual(ranges);
  expect(toMultirange(toRanges(literal))).toBe(literal);
});

/** Messages 3, 4, 7 and 10 become 21 to 24. */
const moved = [3, 4, 7, 10].map((old_seq, n) => ({ old_seq, new_seq: 21 + n }));

test.each([
  ['nothing', '{}', []],
  ['everything', '{[1,100)}', [21, 22, 23, 24]],
  ['exactly some', '{[3,5),[10,11)}', [21, 22, 24]],
  ['up to the last, which is no part of it', '{[1,10)}', [21, 22, 23]],
  ['what lies between', '{[5,7),[8,10)}', []],
  ['what lies before and behind', '{[1,3),[11,20)}', []],
  ['a range that begins between', '{[6,8)}', [23]],
])('moved messages in a set of %s have new numbers', (_case, literal, numbers) => {
  expect(listNumbers(renumberRanges(literal, moved))).toEqual(numbers);
});

test('messages that are adjacent in both streams share a range', () => {
  expect(renumberRanges('{[1,100)}', moved)).toEqual([[21, 25]]);
});

test('numbers do not have to ascend: the order of a move can differ from that of sending', () => {
  expect(
    renumberRanges('{[3,8)}', [
      { old_seq: 3, new_seq: 30 },
      { old_seq: 7, new_seq: 20 },
    ]),
  ).toEqual([
    [30, 31],
    [20, 21],
  ]);
});

const ascending = (ranges: readonly Range[]) => listNumbers(ranges).sort((a, b) => a - b);

const nothing = { received: '{}', reopened: '{}', read: '{}' };
const open = { is_protected: false, flagged_seqs: new Set<number>() };
const guarded = { ...open, is_protected: true };

test.each([
  [
    'what they received and have not read stays unread',
    { ...nothing, received: '{[1,20)}', read: '{[1,7),[11,20)}' },
    open,
    { received: [21, 22, 23, 24], read: [21, 22], reopened: [] },
  ],
  [
    'what they had reopened stays so',
    { ...nothing, reopened: '{[4,5)}' },
    open,
    { received: [], read: [], reopened: [22] },
  ],
  [
    'what they reopened and read again is read',
    { ...nothing, reopened: '{[4,5)}', read: '{[4,5)}' },
    open,
    { received: [], read: [22], reopened: [22] },
  ],
  ['of what they never had they get nothing', nothing, open, { received: [], read: [], reopened: [] }],
  [
    'where history is protected they get it all, what is new to them as read',
    { ...nothing, received: '{[3,4)}' },
    guarded,
    { received: [21, 22, 23, 24], read: [22, 23, 24], reopened: [] },
  ],
  [
    'with protected history, messages that the user has flags on need no new record',
    nothing,
    { ...guarded, flagged_seqs: new Set([22]) },
    { received: [21, 23, 24], read: [21, 23, 24], reopened: [] },
  ],
])('in the new stream %s', (_rule, had, going, have) => {
  const { received, read, reopened } = computeMovedRecords(had, moved, going);
  expect({ received: ascending(received), read: ascending(read), reopened: ascending(reopened) }).toEqual(have);
});
