import { describe, expect, test } from 'vitest';
import { getMoveLimit, mergePolicies } from './move.ts';

describe('the maximum age of moved messages', () => {
  const topic = { topic: 'stew' };
  const stream = { stream_id: 8 };
  test.each([
    ['a topic', 400, topic, 10, 20, 10],
    ['a stream', 400, stream, 10, 20, 20],
    ['both: the smaller', 400, { ...topic, ...stream }, 10, 20, 10],
    ['both, the other way round', 400, { ...topic, ...stream }, 20, 10, 10],
    ['both, one without a limit', 400, { ...topic, ...stream }, null, 20, 20],
    ['a topic without a limit', 400, topic, null, 20, null],
    ['both without a limit', 400, { ...topic, ...stream }, null, null, null],
    ['a guest', 600, topic, 10, 20, 10],
    ['a moderator', 300, { ...topic, ...stream }, 10, 20, null],
    ['an administrator', 200, { ...topic, ...stream }, 10, 20, null],
  ])('%s', (_case, role, change, within, between, limit) => {
    const limits = {
      move_messages_within_stream_limit_seconds: within,
      move_messages_between_streams_limit_seconds: between,
    };
    expect(getMoveLimit({ role }, change, limits)).toBe(limit);
  });
});

test.each([
  [0, 0, 0],
  [1, 1, 1],
  [2, 2, 2],
  [3, 3, 3],
  [2, 0, 2],
  [0, 2, 2],
  [2, 1, 2],
  [3, 2, 2],
  [1, 0, 0],
  [0, 3, 0],
  [1, 3, 0],
])('policies %i and %i are merged to %i', (one, other, merged) => expect(mergePolicies(one, other)).toBe(merged));
