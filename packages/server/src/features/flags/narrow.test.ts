import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
type NarrowFlagParams = Parameters<TestUser['api']['updateMessageFlagsForNarrow']>[0];
const all = { anchor: 'oldest', num_before: 0, num_after: 5000 } as const;
const read = { op: 'add', flag: 'read' } as const;
const star = { op: 'add', flag: 'starred' } as const;
const heard = async (person: TestUser) =>
  (await person.takeEvents('update_message_flags')).map(({ id: _, ...event }) => event);
const flagsOf = async (person: TestUser, message_id: number) =>
  (await person.api.getMessage({ message_id })).message.flags;

/** A stream of Ada's with Ben as a subscriber, and messages of hers. */
async function kitchen(count = 5) {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = `kitchen ${made++}`;
  const stream_id = await chat.stream(name, { by: ada, members: [ben] });
  const ids: number[] = [];
  for (let n = 0; n < count; n++) ids.push(await chat.message({ from: ada, to: name }));
  await ben.takeEvents();
  const narrow: NarrowFlagParams['narrow'] = [
    ['stream', stream_id],
    ['topic', 'soup'],
  ];
  return { ada, ben, stream_id, name, ids, narrow };
}

test('a flag is set on every message of a narrow, and the event has their ids in ascending order', async () => {
  const { ben, ids, narrow } = await kitchen();
  const [first, second] = ids;
  await ben.api.updateMessageFlags({ messages: [second ?? 0], ...read });
  expect(await ben.api.updateMessageFlagsForNarrow({ ...all, narrow, ...read })).toEqual({
    processed_count: 5,
    updated_count: 4,
    first_processed_id: first,
    last_processed_id: ids.at(-1),
    found_oldest: true,
    found_newest: true,
  });
  const event = { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read', all: false };
  expect(await heard(ben)).toEqual([
    { ...event, messages: [second] },
    { ...event, messages: ids.filter((id) => id !== second) },
  ]);
  for (const id of ids) expect(await flagsOf(ben, id)).toEqual(['read']);
});

test('removing the flag read emits the details of the messages, as it does for single ids', async () => {
  const { ben, ids, narrow, stream_id } = await kitchen(2);
  await ben.api.updateMessageFlagsForNarrow({ ...all, narrow, ...read });
  await ben.takeEvents();
  expect(await ben.api.updateMessageFlagsForNarrow({ ...all, narrow, op: 'remove', flag: 'read' })).toMatchObject({
    updated_count: 2,
  });
  const details = { type: 'stream', stream_id, topic: 'soup', unmuted_stream_msg: true };
  expect(await heard(ben)).toMatchObject([
    { op: 'remove', messages: ids, message_details: Object.fromEntries(ids.map((id) => [id, details])) },
  ]);
});

test('a client pages through a narrow', async () => {
  const { ben, ids, narrow } = await kitchen(5);
  const [one, two, three, four, five] = ids;
  const page = (anchor: NarrowFlagParams['anchor'], more: Partial<NarrowFlagParams>) =>
    ben.api.updateMessageFlagsForNarrow({ anchor, num_before: 0, num_after: 2, narrow, ...star, ...more });
  expect(await page('oldest', {})).toMatchObject({
    processed_count: 2,
    first_processed_id: one,
    last_processed_id: two,
    found_oldest: true,
    found_newest: false,
  });
  expect(await page(two ?? 0, { include_anchor: false })).toMatchObject({
    first_processed_id: three,
    last_processed_id: four,
    found_oldest: false,
    found_newest: false,
  });
  expect(await page(four ?? 0, { include_anchor: false })).toMatchObject({
    processed_count: 1,
    first_processed_id: five,
    last_processed_id: five,
    found_newest: true,
  });
  expect(await page(five ?? 0, { include_anchor: false })).toEqual({
    processed_count: 0,
    updated_count: 0,
    first_processed_id: null,
    last_processed_id: null,
    found_oldest: false,
    found_newest: true,
  });
  expect(await page('newest', { num_before: 1, num_after: 0 })).toMatchObject({ processed_count: 1, updated_count: 0 });
  expect((await ben.api.registerQueue()).starred_messages).toEqual(ids);
});

test('first_unread is a valid anchor, and the messages are those that GET /messages returns', async () => {
  const { ben, ids, narrow } = await kitchen(4);
  await ben.api.updateMessageFlags({ messages: ids.slice(0, 2), ...read });
  const around = { anchor: 'first_unread', num_before: 1, num_after: 1, narrow } as const;
  const { messages } = await ben.api.getMessages(around);
  expect(messages.map(({ id }) => id)).toEqual(ids.slice(1, 4));
  expect(await ben.api.updateMessageFlagsForNarrow({ ...around, ...star })).toMatchObject({
    processed_count: 3,
    first_processed_id: ids[1],
    last_processed_id: ids[3],
  });
});

test('an empty narrow is all messages that the user received', async () => {
  const { ada, ben, ids } = await kitchen(1);
  const direct = await chat.message({ from: ada, to: [ben] });
  const { processed_count, last_processed_id } = await ben.api.updateMessageFlagsForNarrow({
    ...all,
    narrow: [],
    ...read,
  });
  // The notice of the stream's creation is the third.
  expect([processed_count, last_processed_id]).toEqual([3, direct]);
  expect(await flagsOf(ben, ids[0] ?? 0)).toEqual(['read']);
  expect((await ben.api.registerQueue()).unread_msgs?.count).toBe(0);
});

test('marking as unread skips messages of streams without a subscription; starring makes them historical', async () => {
  const { ben, ids, name, narrow } = await kitchen(2);
  await ben.api.unsubscribe({ subscriptions: [name] });
  await ben.takeEvents();
  expect(await ben.api.updateMessageFlagsForNarrow({ ...all, narrow, op: 'remove', flag: 'read' })).toMatchObject({
    processed_count: 2,
    updated_count: 0,
  });
  expect(await heard(ben)).toMatchObject([{ op: 'remove', messages: [], message_details: {} }]);
  const cleo = await chat.user('cleo');
  expect(await cleo.api.updateMessageFlagsForNarrow({ ...all, narrow, ...star })).toMatchObject({ updated_count: 2 });
  expect(await flagsOf(cleo, ids[0] ?? 0)).toEqual(['read', 'starred', 'historical']);
});

test('a narrow has only messages that the user can read', async () => {
  const [ada, eve] = await chat.users('ada', 'eve');
  const name = `protected ${made++}`;
  const stream_id = await chat.stream(name, { by: ada, invite_only: true });
  await chat.message({ from: ada, to: name });
  await ada.api.subscribe({ subscriptions: [{ name }], principals: [eve.id] });
  const seen = await chat.message({ from: ada, to: name });
  const narrow: NarrowFlagParams['narrow'] = [['stream', stream_id]];
  expect(await eve.api.updateMessageFlagsForNarrow({ ...all, narrow, ...star })).toMatchObject({
    processed_count: 1,
    first_processed_id: seen,
  });
});

test('an invalid flag is reported before an invalid op, then an invalid window, then an invalid narrow', async () => {
  const { ben } = await kitchen(0);
  const bad = { anchor: 7, num_before: 1, num_after: 1, include_anchor: false, narrow: [['mood', 'good']] } as const;
  const change = (more: object) => ben.api.updateMessageFlagsForNarrow({ ...bad, ...more } as never);
  await expectError('BAD_REQUEST', change({ op: 'spin', flag: 'mentioned' }), /mentioned/);
  await expectError('BAD_REQUEST', change({ op: 'spin', flag: 'read' }), /spin/);
  await expectError('BAD_REQUEST', change(read), /include_anchor/);
  const { desc } = await expectError('BAD_NARROW', change({ ...read, include_anchor: true }), /mood/);
  expect(desc).toMatch(/mood/);
  await expectError('BAD_NARROW', change({ ...read, include_anchor: true, narrow: [['stream', 999_999]] }), /999999/);
  const errorResponse = await expectError('REQUEST_VARIABLE_INVALID', change({ ...read, num_before: -1 }));
  expect(errorResponse).toMatchObject({ var_name: 'num_before', bad_value: -1 });
  expect(await heard(ben)).toEqual([]);
});

test('a window larger than the limit is lowered to the limit without an error', async () => {
  const { ben, narrow } = await kitchen(1);
  const huge = { anchor: 'oldest', num_before: 1_000_000, num_after: 1_000_000, narrow } as const;
  expect(await ben.api.updateMessageFlagsForNarrow({ ...huge, ...read })).toMatchObject({
    processed_count: 1,
    found_oldest: true,
    found_newest: true,
  });
});
