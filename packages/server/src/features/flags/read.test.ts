import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const flagsOf = async (person: TestUser, message_id: number) =>
  (await person.api.getMessage({ message_id })).message.flags;
const heard = async (person: TestUser) =>
  (await person.takeEvents('update_message_flags')).map(({ id: _, ...event }) => event);
const unreadOf = async (person: TestUser) =>
  (await person.api.registerQueue({ fetch_event_types: ['update_message_flags'] })).unread_msgs;
const added = (messages: number[]) => ({
  type: 'update_message_flags',
  op: 'add',
  operation: 'add',
  flag: 'read',
  messages,
  all: false,
});

/** A stream whose first message is older than the subscriptions of its members. */
async function stream(name: string, by: TestUser, ...members: TestUser[]): Promise<number> {
  const stream_id = await chat.stream(name, { by });
  for (const member of members) await member.api.subscribe({ subscriptions: [{ name }] });
  return stream_id;
}

// shows: 3.1, 4.6.4
test('marking as read returns and emits the messages that were unread, in the order of the request, once each', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await stream('kitchen', ada, ben);
  const first = await chat.message({ from: ada, to: 'kitchen' });
  const second = await chat.message({ from: ada, to: [ben] });
  const third = await chat.message({ from: ada, to: 'kitchen', topic: 'bread' });
  await ben.api.updateMessageFlags({ messages: [second], op: 'add', flag: 'read' });

  expect(
    await ben.api.updateMessageFlags({ messages: [third, second, first, third], op: 'add', flag: 'read' }),
  ).toEqual({ messages: [third, first] });

  expect(await heard(ben)).toEqual([added([second]), added([third, first])]);
  for (const id of [first, second, third]) expect(await flagsOf(ben, id)).toEqual(['read']);
  expect(await flagsOf(ada, first)).toEqual([]);
});

// shows: 3.2
test('marking as unread emits the stream, topic or recipients of each message', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const stream_id = await stream('hall', ada, ben);
  const inStream = await chat.message({ from: ada, to: 'hall', topic: 'Lamps' });
  const mention = await chat.message({ from: ada, to: 'hall', topic: 'lamps', content: `@**${ben.full_name}** look` });
  const direct = await chat.message({ from: ada, to: [ben] });
  const group = await chat.message({ from: cleo, to: [ben, ada] });
  const alone = await chat.message({ from: ben, to: [ben] });
  const messages = [alone, group, direct, mention, inStream];
  await ben.api.updateMessageFlags({ messages, op: 'add', flag: 'read' });
  await heard(ben);

  expect(await ben.api.updateMessageFlags({ messages, op: 'remove', flag: 'read' })).toEqual({ messages });

  const details = { type: 'stream', stream_id, topic: 'Lamps', unmuted_stream_msg: true };
  const message_details = {
    [inStream]: details,
    [mention]: { ...details, mentioned: true },
    [direct]: { type: 'private', user_ids: [ada.id] },
    [group]: { type: 'private', user_ids: [ada.id, cleo.id].sort((a, b) => a - b) },
    [alone]: { type: 'private', user_ids: [] },
  };
  expect(await heard(ben)).toEqual([
    {
      type: 'update_message_flags',
      op: 'remove',
      operation: 'remove',
      flag: 'read',
      messages,
      all: false,
      message_details,
    },
  ]);
  expect(await flagsOf(ben, mention)).toEqual(['mentioned']);
  expect(await ben.api.updateMessageFlags({ messages, op: 'remove', flag: 'read' })).toEqual({ messages: [] });
});

test('marking as unread emits whether the user muted the stream or the topic of the message', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await stream('studio', ada, ben);
  const id = await chat.message({ from: ada, to: 'studio' });
  const takeEventOf = async (change: Promise<unknown>) => {
    await change;
    await ben.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'read' });
    await ben.api.updateMessageFlags({ messages: [id], op: 'remove', flag: 'read' });
    const event = (await heard(ben)).at(-1);
    return event && 'message_details' in event && event.message_details?.[id]?.unmuted_stream_msg;
  };
  const muteStream = (value: boolean) => ben.api.updateSubscriptionProperty({ stream_id, property: 'is_muted', value });
  const muteTopic = (visibility_policy: 0 | 1 | 2) =>
    ben.api.updateUserTopic({ stream_id, topic: 'soup', visibility_policy });
  expect(await takeEventOf(muteStream(true))).toBe(false);
  expect(await takeEventOf(muteTopic(2))).toBe(true);
  expect(await takeEventOf(muteTopic(0))).toBe(false);
  expect(await takeEventOf(muteStream(false))).toBe(true);
  expect(await takeEventOf(muteTopic(1))).toBe(false);
});

test('a wildcard mention counts as a mention for the users who received it', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  await stream('roof', ada, ben);
  const id = await chat.message({ from: ada, to: 'roof', content: '@**all** look' });
  await cleo.api.subscribe({ subscriptions: [{ name: 'roof' }] });
  expect(await unreadOf(ben)).toMatchObject({ count: 1, mentions: [id] });
  await heard(cleo);
  await cleo.api.updateMessageFlags({ messages: [id], op: 'remove', flag: 'read' });
  expect(await unreadOf(cleo)).toMatchObject({ mentions: [] });
  expect((await heard(cleo)).at(-1)).not.toHaveProperty(['message_details', String(id), 'mentioned']);
});

test('a message that the user did not receive can be marked as unread: it is then historical and unread', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream('cellar', { by: ada });
  const old = await chat.message({ from: ada, to: 'cellar' });
  await ben.api.subscribe({ subscriptions: [{ name: 'cellar' }] });
  const fresh = await chat.message({ from: ada, to: 'cellar' });
  expect(await flagsOf(ben, old)).toEqual(['read', 'historical']);
  expect(await ben.api.updateMessageFlags({ messages: [old], op: 'add', flag: 'read' })).toEqual({ messages: [] });

  expect(await ben.api.updateMessageFlags({ messages: [old], op: 'remove', flag: 'read' })).toEqual({
    messages: [old],
  });
  expect(await flagsOf(ben, old)).toEqual(['historical']);
  expect((await unreadOf(ben))?.streams).toEqual([{ stream_id, topic: 'soup', unread_message_ids: [old, fresh] }]);

  expect(await ben.api.updateMessageFlags({ messages: [old], op: 'add', flag: 'read' })).toEqual({ messages: [old] });
  expect(await flagsOf(ben, old)).toEqual(['read', 'historical']);
});

test('leaving a stream marks all of it as read, also messages that were marked as unread without being received', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream('porch', { by: ada });
  const old = await chat.message({ from: ada, to: 'porch' });
  await ben.api.subscribe({ subscriptions: [{ name: 'porch' }] });
  const fresh = await chat.message({ from: ada, to: 'porch' });
  await ben.api.updateMessageFlags({ messages: [old], op: 'remove', flag: 'read' });
  await heard(ben);

  await ben.api.unsubscribe({ subscriptions: ['porch'] });
  expect(await heard(ben)).toEqual([added([old, fresh])]);
  expect(await unreadOf(ben)).toMatchObject({ count: 0, streams: [] });
  const missed = await chat.message({ from: ada, to: 'porch' });
  await ben.api.subscribe({ subscriptions: [{ name: 'porch' }] });
  expect(await unreadOf(ben)).toMatchObject({ count: 0 });
  expect(await flagsOf(ben, missed)).toEqual(['read', 'historical']);
  expect(await flagsOf(ben, fresh)).toEqual(['read']);
  const again = await chat.message({ from: ada, to: 'porch' });
  expect((await unreadOf(ben))?.streams).toEqual([{ stream_id, topic: 'soup', unread_message_ids: [again] }]);
});

test('the unread messages of a new queue are grouped into direct messages, group messages and topics', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const first = await stream('loft', ada, ben);
  const second = await stream('yard', ada, ben);
  const say = (to: string | TestUser[], topic = 'soup', content = 'hello') =>
    chat.message({ from: ada, to, topic, content });
  const ids = [
    await say('yard'),
    await say('loft', 'Bread'),
    await say('loft', 'apples'),
    await say('loft', 'bREAD'),
  ] as const;
  const direct = await say([ben], '', `hi @**${ben.full_name}**`);
  const alone = await chat.message({ from: ben, to: [ben] });
  const group = await say([ben, cleo]);
  const pms = [
    { other_user_id: ada.id, sender_id: ada.id, unread_message_ids: [direct] },
    { other_user_id: ben.id, sender_id: ben.id, unread_message_ids: [alone] },
  ];
  expect(await unreadOf(ben)).toEqual({
    count: 7,
    pms,
    streams: [
      { stream_id: first, topic: 'apples', unread_message_ids: [ids[2]] },
      { stream_id: first, topic: 'Bread', unread_message_ids: [ids[1], ids[3]] },
      { stream_id: second, topic: 'soup', unread_message_ids: [ids[0]] },
    ],
    huddles: [
      { user_ids_string: [ada.id, ben.id, cleo.id].sort((a, b) => a - b).join(','), unread_message_ids: [group] },
    ],
    mentions: [direct],
    old_unreads_missing: false,
  });
});

test('a message with read_by_sender is read for its sender only', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const { id } = await ada.api.sendMessage({ type: 'direct', to: [ben.id], content: 'hi', read_by_sender: true });
  expect(await flagsOf(ada, id)).toEqual(['read']);
  expect(await ada.api.updateMessageFlags({ messages: [id], op: 'remove', flag: 'read' })).toEqual({ messages: [id] });
  expect(await unreadOf(ben)).toMatchObject({ count: 1 });
});

test('a request that fails for one message changes no flag of the others', async () => {
  const [ada] = await chat.users('ada');
  const id = await chat.message({ from: ada, to: [ada] });
  await ada.api.updateMessageFlags({ messages: [id], op: 'add', flag: 'read' });
  await expectError(
    'BAD_REQUEST',
    ada.api.updateMessageFlags({ messages: [id, 0], op: 'remove', flag: 'read' }),
    /\b0\b/,
  );
  expect(await flagsOf(ada, id)).toEqual(['read']);
  expect(await heard(ada)).toEqual([added([id])]);
});
