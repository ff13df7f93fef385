import { expect, test } from 'vitest';
import { presentDetails, presentUnread } from './present.ts';
import { changeProblem, isChange, listChangedInOrder } from './rules.ts';

test.each([
  [{ flag: 'dirty', op: 'spin' }, /dirty/],
  [{ flag: 'mentioned', op: 'spin' }, /mentioned.*not editable/],
  [{ flag: 'wildcard_mentioned', op: 'add' }, /wildcard_mentioned.*not editable/],
  [{ flag: 'stream_wildcard_mentioned', op: 'add' }, /stream_wildcard_mentioned.*not editable/],
  [{ flag: 'topic_wildcard_mentioned', op: 'remove' }, /topic_wildcard_mentioned.*not editable/],
  [{ flag: 'has_alert_word', op: 'add' }, /has_alert_word.*not editable/],
  [{ flag: 'historical', op: 'remove' }, /historical.*not editable/],
  [{ flag: 'read', op: 'spin' }, /spin/],
])('changeProblem and isChange: %o fails', (change, problem) => {
  expect(changeProblem(change)).toMatch(problem);
  expect(isChange(change)).toBe(false);
});

test.each(['read', 'starred', 'collapsed'].flatMap((flag) => ['add', 'remove'].map((op) => ({ flag, op }))))(
  'changeProblem and isChange: %o is a change',
  (change) => {
    expect(changeProblem(change)).toBeUndefined();
    expect(isChange(change)).toBe(true);
  },
);

test.each([
  ['keeps the order of the request', [3, 1, 2], [1, 2, 3], [3, 1, 2]],
  ['names each id once', [2, 2, 1, 2], [1, 2], [2, 1]],
  ['leaves out what did not change', [1, 2, 3], [2], [2]],
  ['nothing for nothing', [], [], []],
])('listChangedInOrder: %s', (_case, requested, changed, expected) =>
  expect(listChangedInOrder(requested, changed)).toEqual(expected),
);

const message = { id: 7, stream_id: 2, topic: 'soup', user_ids: null, mentioned: false, muted: false };

test.each([
  ['a stream message', message, { type: 'stream', stream_id: 2, topic: 'soup', unmuted_stream_msg: true }],
  [
    'one that is muted',
    { ...message, muted: true },
    { type: 'stream', stream_id: 2, topic: 'soup', unmuted_stream_msg: false },
  ],
  [
    'one that mentions',
    { ...message, mentioned: true },
    { type: 'stream', mentioned: true, stream_id: 2, topic: 'soup', unmuted_stream_msg: true },
  ],
  [
    'a direct message',
    { ...message, stream_id: null, topic: null, user_ids: [3, 5, 9] },
    { type: 'private', user_ids: [3, 9] },
  ],
  [
    'a message to the sender alone',
    { ...message, stream_id: null, topic: null, user_ids: [5] },
    { type: 'private', user_ids: [] },
  ],
])('presentDetails: %s', (_case, unreadMessage, details) =>
  expect(presentDetails(5, [unreadMessage])).toEqual({ 7: details }),
);

test('presentUnread groups direct messages by their participants, and counts all', () => {
  const direct = (user_ids: number[], ids: number[], mentions: number[] = []) => ({
    stream_id: null,
    topic: null,
    user_ids,
    ids,
    mentions,
  });
  const groups = [
    direct([2, 5, 7], [14]),
    direct([1, 5, 7], [11, 13], [13]),
    direct([5, 9], [12], [12]),
    direct([5], [10]),
    direct([3, 5], [15]),
    { stream_id: 4, topic: 'soup', user_ids: null, ids: [1, 2], mentions: [] },
  ];
  expect(presentUnread(5, groups, true)).toEqual({
    count: 8,
    pms: [
      { other_user_id: 3, sender_id: 3, unread_message_ids: [15] },
      { other_user_id: 5, sender_id: 5, unread_message_ids: [10] },
      { other_user_id: 9, sender_id: 9, unread_message_ids: [12] },
    ],
    streams: [{ stream_id: 4, topic: 'soup', unread_message_ids: [1, 2] }],
    huddles: [
      { user_ids_string: '1,5,7', unread_message_ids: [11, 13] },
      { user_ids_string: '2,5,7', unread_message_ids: [14] },
    ],
    mentions: [12, 13],
    old_unreads_missing: true,
  });
});
