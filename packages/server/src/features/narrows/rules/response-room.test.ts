import { expect, test } from 'vitest';
import type { Schema } from '../../../core/contract.ts';
import { ResponseRoom } from './response-room.ts';

/** A message that counts how often it is serialized. */
function counted(id: number, length: number) {
  const message = { id, content: 'é'.repeat(length), reactions: [], display_recipient: 'room', topic_links: [] };
  let times = 0;
  const toJSON = () => {
    times++;
    return { ...message, toJSON: undefined };
  };
  const item = { ...message, toJSON } as unknown as Schema<'Message'>;
  return { item, json: JSON.stringify(message), times: () => times };
}

test('a message that is measured is serialized once: the same JSON is sent', () => {
  const room = new ResponseRoom(100_000);
  const messages = [counted(2, 9_000), counted(1, 9_000), counted(3, 9_000)];
  expect(messages.map(({ item }) => room.take(item))).toEqual([true, true, true]);
  const [second, first, third] = messages as [(typeof messages)[0], (typeof messages)[0], (typeof messages)[0]];
  const texts = room.textsOf([first.item, second.item, third.item]);
  expect(texts?.map(String)).toEqual([first.json, second.json, third.json]);
  expect(messages.map(({ times }) => times())).toEqual([1, 1, 1]);
});

test('messages that fit for certain are not serialized to measure them', () => {
  const room = new ResponseRoom(1_000_000);
  const small = counted(1, 10);
  expect(room.take(small.item)).toBe(true);
  expect([room.textsOf([small.item]), small.times()]).toEqual([undefined, 0]);
});
