import { expect, test } from 'vitest';
import type { Schema } from '../../../core/contract.ts';
import { ResponseRoom } from './response-room.ts';

const message = (id: number, length: number) =>
  ({
    id,
    content: 'é'.repeat(length),
    reactions: [],
    display_recipient: 'room',
    topic_links: [],
  }) as unknown as Schema<'Message'>;

const json = (id: number, length: number) => Buffer.from(JSON.stringify(message(id, length)));

/** A room that notes which messages it serializes. */
function createRoom(bytes: number) {
  const serialized: number[] = [];
  const room = new ResponseRoom(bytes, (one) => {
    serialized.push(one.id);
    return Buffer.from(JSON.stringify(one));
  });
  return { room, serialized };
}

test('messages that might not fit are serialized once, and only their JSON is kept', () => {
  const { room, serialized } = createRoom(100_000);
  const messages = [message(2, 9_000), message(1, 9_000), message(3, 9_000)];
  expect(messages.map((one) => room.add(one, false))).toEqual([true, true, true]);
  expect(serialized).toEqual([2, 1, 3]);
  expect(room.list()).toEqual({ json: [1, 2, 3].map((id) => json(id, 9_000)) });
});

test('messages that fit for certain are not serialized to measure them', () => {
  const { room, serialized } = createRoom(1_000_000);
  const [first, second] = [message(1, 10), message(2, 10)];
  expect([room.add(second, false), room.add(first, false)]).toEqual([true, true]);
  expect([room.list(), serialized]).toEqual([{ messages: [first, second] }, []]);
});

test('a message without room is not added, unless it is required', () => {
  const { room } = createRoom(40_000);
  expect(room.add(message(1, 9_000), false)).toBe(true);
  expect(room.add(message(2, 9_000), true)).toBe(true);
  expect(room.add(message(3, 9_000), true)).toBe(true);
  expect(room.add(message(4, 9_000), false)).toBe(false);
  expect(room.list()).toEqual({ json: [1, 2, 3].map((id) => json(id, 9_000)) });
});
