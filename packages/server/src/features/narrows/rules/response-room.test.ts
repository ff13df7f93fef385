import { expect, test } from 'vitest';
import { ResponseRoom } from './response-room.ts';

/** With its quotes it has 1,000 bytes. */
const text = (sign: string) => JSON.stringify(sign.repeat(998 / Buffer.byteLength(sign)));
const latin = text('é');
const pieces = [Buffer.from('"'), Buffer.from('a'.repeat(998)), Buffer.from('"')];

test('messages are in the order of their ids, however they were added', () => {
  const room = new ResponseRoom(100_000);
  const added = [room.add(2, latin, false), room.add(1, pieces, false), room.add(3, '{}', false)];
  expect([added, room.list()]).toEqual([
    [true, true, true],
    [pieces, latin, '{}'],
  ]);
});

test.each([
  ['of one byte', text('a')],
  ['of two bytes', latin],
  ['in pieces', pieces],
])('messages fill a response to its last byte, with characters %s', (_, json) => {
  const room = new ResponseRoom(3 * 1001);
  const added = [1, 2, 3, 4].map((id) => room.add(id, json, false));
  expect(added).toEqual([true, true, true, false]);
  expect(room.list()).toHaveLength(3);
});

test('a message without room is not added, unless it is required', () => {
  const room = new ResponseRoom(2500);
  const added = [
    room.add(1, latin, false),
    room.add(2, latin, true),
    room.add(3, latin, true),
    room.add(4, '1', false),
  ];
  expect(added).toEqual([true, true, true, false]);
  expect(room.list()).toEqual([latin, latin, latin]);
});

test('a message for which there was no room takes none', () => {
  const room = new ResponseRoom(2500);
  for (const id of [1, 2]) room.add(id, latin, false);
  expect([room.add(3, latin, false), room.add(4, '"short"', false)]).toEqual([false, true]);
});
