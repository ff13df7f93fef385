import { describe, expect, test } from 'vitest';
import { hasTypingNotices, parseTypingTarget } from './rules.ts';

describe('the target of a typing notification', () => {
  const all = { to: [7], stream_id: 3, topic: 'soup' };
  test.each<[string, Parameters<typeof parseTypingTarget>[0], ReturnType<typeof parseTypingTarget>]>([
    ['a direct message', { type: 'direct', ...all }, { type: 'direct', to: [7] }],
    [
      'a direct message without recipients is left to the caller',
      { type: 'direct', to: [] },
      { type: 'direct', to: [] },
    ],
    ['a direct message needs `to`', { type: 'direct', stream_id: 3, topic: 'soup' }, { missing: 'to' }],
    ['a stream message', { type: 'stream', ...all }, { type: 'stream', stream_id: 3, topic: 'soup' }],
    ['a blank topic is one', { type: 'stream', stream_id: 3, topic: '' }, { type: 'stream', stream_id: 3, topic: '' }],
    ['a stream message needs a stream', { type: 'stream', to: [7], topic: 'soup' }, { missing: 'stream_id' }],
    ['a stream message needs a topic', { type: 'stream', to: [7], stream_id: 3 }, { missing: 'topic' }],
  ])('%s', (_case, params, expected) => expect(parseTypingTarget(params)).toEqual(expected));
});

test.each([
  [0, true],
  [100, true],
  [101, false],
])('a stream with %i subscribers has typing notifications: %s', (subscribers, expected) => {
  expect(hasTypingNotices(subscribers)).toBe(expected);
});
