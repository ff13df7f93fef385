// The memory that a process uses for ephemeral events and for queue cursors is bounded.
import { expect, test } from 'vitest';
import { QueueCursors } from './queue-cursors.ts';
import { EPHEMERAL_LIFETIME, RecentEphemeralEvents } from './recent-ephemeral-events.ts';

const createEvent = (realm_id: number, topic: string, at = 1000) =>
  ({
    realm_id,
    event: {
      type: 'typing',
      op: 'start',
      message_type: 'stream',
      sender: { user_id: 1, email: 'a@b.c' },
      stream_id: 2,
      topic,
    },
    audience: { conversation: { id: 2 } },
    at: new Date(at),
  }) as const;
const topics = (recent: RecentEphemeralEvents, realm_id: number, after = 0) =>
  recent.after(realm_id, after, 1000).map(({ payload }) => 'topic' in payload && payload.topic);

test('events are kept by organization, in the order in which they were added', () => {
  const recent = new RecentEphemeralEvents();
  for (const [realm_id, topic] of [
    [1, 'a'],
    [2, 'b'],
    [1, 'c'],
  ] as const)
    recent.add(createEvent(realm_id, topic));
  expect(topics(recent, 1)).toEqual(['a', 'c']);
  expect(topics(recent, 1, 1)).toEqual(['c']);
  expect(topics(recent, 3)).toEqual([]);
});

test('events since a time are found, also behind older ones that were added later', () => {
  const recent = new RecentEphemeralEvents();
  for (const at of [100, 300, 200, 400]) recent.add(createEvent(1, String(at), at));
  expect(topics(recent, 1, recent.numberAt(1, 250))).toEqual(['300', '200', '400']);
  expect(topics(recent, 1, recent.numberAt(1, 400))).toEqual([]);
});

test('an event larger than any that clients send is not kept', () => {
  const recent = new RecentEphemeralEvents();
  expect(recent.add(createEvent(1, 'x'.repeat(300_000)))).toBe(false);
  expect(recent.newest).toBe(0);
});

test('the bytes of an organization are bounded, and the oldest events are evicted', () => {
  const recent = new RecentEphemeralEvents();
  for (let n = 0; n < 8; n++) recent.add(createEvent(1, String(n).repeat(200_000)));
  expect(topics(recent, 1).map((topic) => String(topic)[0])).toEqual(['3', '4', '5', '6', '7']);
});

test('the bytes of all organizations together are bounded', () => {
  const recent = new RecentEphemeralEvents();
  for (let realm_id = 1; realm_id <= 60; realm_id++) recent.add(createEvent(realm_id, 'x'.repeat(200_000)));
  const storedCounts = Array.from({ length: 60 }, (_, n) => topics(recent, n + 1).length);
  expect(storedCounts.indexOf(1)).toBe(19);
  expect(storedCounts.slice(19)).toEqual(Array(41).fill(1));
});

test('expired events are removed', () => {
  const recent = new RecentEphemeralEvents();
  recent.add(createEvent(1, 'old', 1000));
  recent.add(createEvent(1, 'new', 1001));
  recent.sweep(1000 + EPHEMERAL_LIFETIME);
  expect(topics(recent, 1)).toEqual(['new']);
});

test('a cursor knows the last response of a queue, and the one before in case that was lost', () => {
  const cursors = new QueueCursors();
  cursors.note('q', { id: 10, ephemeralCursor: 3 }, { id: 12, ephemeralCursor: 5, cursor: 7 }, 1000);
  expect(cursors.newest('q')).toBe(12);
  expect(cursors.ephemeralSentTo('q', 12)).toBe(5);
  expect(cursors.ephemeralSentTo('q', 10)).toBe(3);
  expect(cursors.ephemeralSentTo('other', 10)).toBeUndefined();
  expect([cursors.cursorOf('q', 12), cursors.cursorOf('q', 10)]).toEqual([7, undefined]);
});

test('cursors of queues without recent responses are removed', () => {
  const cursors = new QueueCursors();
  const mark = { id: 1, ephemeralCursor: 1, cursor: 1 };
  cursors.note('a', mark, mark, 1000);
  cursors.note('b', mark, mark, 1000);
  cursors.note('a', mark, mark, 2000);
  cursors.sweep(1000 + EPHEMERAL_LIFETIME);
  expect([cursors.newest('a'), cursors.newest('b')]).toEqual([1, undefined]);
});
