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

const json = (id: number, length: number) => [Buffer.from(JSON.stringify(message(id, length)))];

/** A room that notes which messages it serializes, and how many it had serialized whenever it could yield. */
function createRoom(bytes: number) {
  const serialized: number[] = [];
  const yields: number[] = [];
  const serialize = (one: Schema<'Message'>) => {
    serialized.push(one.id);
    return [Buffer.from(JSON.stringify(one))];
  };
  const room = new ResponseRoom(bytes, serialize, async () => void yields.push(serialized.length));
  return { room, serialized, yields };
}

test('messages that might not fit are serialized once, and only their JSON is kept', async () => {
  const { room, serialized } = createRoom(100_000);
  const messages = [message(2, 9_000), message(1, 9_000), message(3, 9_000)];
  for (const one of messages) expect(await room.add(one, false)).toBe(true);
  expect(serialized).toEqual([2, 1, 3]);
  expect(room.list()).toEqual({ json: [1, 2, 3].map((id) => json(id, 9_000)) });
});

test('messages that fit for certain are not serialized to measure them', async () => {
  const { room, serialized } = createRoom(1_000_000);
  const [first, second] = [message(1, 10), message(2, 10)];
  for (const one of [second, first]) expect(await room.add(one, false)).toBe(true);
  expect([room.list(), serialized]).toEqual([{ messages: [first, second] }, []]);
});

test('a message without room is not added, unless it is required', async () => {
  const { room } = createRoom(40_000);
  expect(await room.add(message(1, 9_000), false)).toBe(true);
  expect(await room.add(message(2, 9_000), true)).toBe(true);
  expect(await room.add(message(3, 9_000), true)).toBe(true);
  expect(await room.add(message(4, 9_000), false)).toBe(false);
  expect(room.list()).toEqual({ json: [1, 2, 3].map((id) => json(id, 9_000)) });
});

test('other work has its turn between the messages of which a large page consists', async () => {
  const { room, yields } = createRoom(1_000_000);
  for (let id = 1; id <= 30; id++) await room.add(message(id, 9_000), false);
  expect(yields.slice(0, 16)).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
});
