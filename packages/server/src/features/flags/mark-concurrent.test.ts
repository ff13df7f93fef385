// The messages marked as read by stream or topic are looked up when the event is delivered: whatever happened to them
// since, the event lists those that changed.

import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { createRoom, discardEvents, markRead, post, postSeveral, type Room, SHARED } from '../../../test/rooms.ts';
import { startSecondProcess } from '../../../test/second-process.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1, delete_own_message_policy: 5 });
});
afterAll(() => chat.close());

interface Fixture {
  ada: TestUser;
  ben: TestUser;
  here: Room;
  there: Room;
  /** The unread messages of ben: in soup, stew and soup. */
  ids: number[];
}

async function createFixture(): Promise<Fixture> {
  const [ada, ben] = await chat.users('ada', 'ben');
  const here = await createRoom(chat, [ada, ben, chat.owner]);
  const there = await createRoom(chat, [ada, ben], SHARED);
  // Reads what the server wrote about the new streams.
  await ben.api.markAllAsRead();
  const ids = [await post(ada, here), await post(ada, here, 'stew'), ...(await postSeveral([ada], here, 2))];
  await discardEvents(ben);
  return { ada, ben, here, there, ids };
}

const takeReadIds = async (person: TestUser) =>
  (await person.takeEvents('update_message_flags')).map((event) => event.messages);
const markStream = ({ ben, here }: Fixture) => ben.api.markStreamAsRead({ stream_id: here.id });
const markTopic = ({ ben, here }: Fixture) => ben.api.markTopicAsRead({ stream_id: here.id, topic_name: 'soup' });
const move = ({ ada, there }: Fixture, message_id = 0, to: object = { stream_id: there.id }) =>
  ada.api.updateMessage({ message_id, send_notification_to_new_thread: false, ...to });

const later: [string, (made: Fixture) => Promise<unknown>][] = [
  ['nothing', async () => undefined],
  ['the deletion of one', ({ ada, ids }) => ada.api.deleteMessage({ message_id: ids[2] ?? 0 })],
  [
    'the deletion of one and leaving the stream',
    async ({ ada, ben, here, ids }) => {
      await ada.api.deleteMessage({ message_id: ids[2] ?? 0 });
      await ben.api.unsubscribe({ subscriptions: [here.name] });
    },
  ],
  ['the deletion of the topic', ({ here }) => chat.owner.api.deleteTopic({ stream_id: here.id, topic_name: 'soup' })],
  ['the move of one to another stream', (made) => move(made, made.ids[2])],
  [
    'the move of all to another stream',
    (made) => move(made, made.ids[0], { stream_id: made.there.id, propagate_mode: 'change_all' }),
  ],
  [
    'a move to another stream and back',
    async (made) => {
      await move(made, made.ids[2]);
      await move(made, made.ids[2], { stream_id: made.here.id });
    },
  ],
  [
    'a move to another stream and the deletion there',
    async (made) => {
      await move(made, made.ids[2]);
      await made.ada.api.deleteMessage({ message_id: made.ids[2] ?? 0 });
    },
  ],
  ['the move of one to another topic', (made) => move(made, made.ids[2], { topic: 'stew' })],
  ['a new name of the topic', (made) => move(made, made.ids[0], { topic: 'broth', propagate_mode: 'change_all' })],
  ['another message', ({ ada, here }) => post(ada, here)],
];

test.each(later)(
  'marking a stream and %s before the event is delivered: the event lists the messages that changed',
  async (_what, then) => {
    const made = await createFixture();
    await markStream(made);
    await then(made);
    expect((await takeReadIds(made.ben))[0]).toEqual(made.ids);
  },
);

test.each(later)(
  'marking a topic and %s before the event is delivered: the event lists the messages that changed',
  async (_what, then) => {
    const made = await createFixture();
    await markTopic(made);
    await then(made);
    const [first, , ...others] = made.ids;
    expect((await takeReadIds(made.ben))[0]).toEqual([first, ...others]);
  },
);

test('the event does not list messages that were deleted, read or moved before', async () => {
  const made = await createFixture();
  const { ada, ben, here, ids } = made;
  const [deleted, read, moved] = await postSeveral([ada], here, 3);
  await ada.api.deleteMessage({ message_id: deleted ?? 0 });
  await markRead(ben, read ?? 0);
  await move(made, moved ?? 0);
  await discardEvents(ben);
  await markStream(made);
  await move(made, ids[0]);
  expect(await takeReadIds(ben)).toEqual([ids]);
  const { unread_msgs } = await ben.api.registerQueue({ fetch_event_types: ['update_message_flags'] });
  expect(unread_msgs?.streams.flatMap((one) => one.unread_message_ids)).toEqual([moved]);
});

test('marking a large topic emits its few unread messages, whatever else is unread in the stream', async () => {
  const { ada, ben, here } = await createFixture();
  await postSeveral([ada], here, 5, 'tea');
  await ben.api.markStreamAsRead({ stream_id: here.id });
  const unread = await postSeveral([ada], here, 2, 'tea');
  const other = await post(ada, here, 'soup');
  unread.push(await post(ada, here, 'tea'));
  await discardEvents(ben);
  await ben.api.markTopicAsRead({ stream_id: here.id, topic_name: 'tea' });
  expect(await takeReadIds(ben)).toEqual([unread]);
  const { unread_msgs } = await ben.api.registerQueue({ fetch_event_types: ['update_message_flags'] });
  expect(unread_msgs?.streams).toMatchObject([{ topic: 'soup', unread_message_ids: [other] }]);
});

test('marking messages again that were marked as unread meanwhile emits each time what changed', async () => {
  const made = await createFixture();
  const { ben, ids } = made;
  await markStream(made);
  const some = ids.slice(1, 3);
  await ben.api.updateMessageFlags({ messages: some, op: 'remove', flag: 'read' });
  await markStream(made);
  await markTopic(made);
  expect(await takeReadIds(ben)).toEqual([ids, some, some, []]);
});

test('a waiting client and a client that polls later receive the same event', async () => {
  const made = await createFixture();
  const { ben, here, ids } = made;
  const [waiting, late] = await Promise.all([ben, ben].map(({ api }) => api.registerQueue({})));
  const poll = ben.api.getEvents({ queue_id: waiting?.queue_id ?? '', last_event_id: waiting?.last_event_id ?? 0 });
  await markStream(made);
  await chat.owner.api.deleteTopic({ stream_id: here.id, topic_name: 'soup' });
  const params = { queue_id: late?.queue_id ?? '', last_event_id: late?.last_event_id ?? 0, dont_block: true };
  const [now, then] = [(await poll).events, (await ben.api.getEvents(params)).events];
  expect(now[0]).toMatchObject({ type: 'update_message_flags', messages: ids });
  expect(then[0]).toEqual(now[0]);
});

test('a user who leaves a stream whose unread messages were deleted receives no flags event', async () => {
  const made = await createFixture();
  const { ada, ben, here } = made;
  await markStream(made);
  await ada.api.deleteMessage({ message_id: await post(ada, here) });
  await discardEvents(ben);
  await ben.api.unsubscribe({ subscriptions: [here.name] });
  expect(await takeReadIds(ben)).toEqual([]);
});

test('users who are removed from a stream together each receive their own unread messages', async () => {
  const made = await createFixture();
  const { ada, ben, here, ids } = made;
  const [cy] = await chat.users('cy');
  await ada.api.subscribe({ subscriptions: [{ name: here.name }], principals: [cy.id] });
  const last = await post(ada, here);
  // Their newest message stays: no event gives users who left another newest message.
  await chat.message({ from: ada, to: [ben, cy] });
  await discardEvents(ben, cy);
  await chat.owner.api.unsubscribe({ subscriptions: [here.name], principals: [ben.id, cy.id] });
  await ada.api.deleteMessage({ message_id: last });
  expect(await takeReadIds(ben)).toEqual([[...ids, last]]);
  expect(await takeReadIds(cy)).toEqual([[last]]);
});

test('the size of the stored event does not grow with the number of messages', async () => {
  const size = async (count: number) => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const here = await createRoom(chat, [ada, ben]);
    await postSeveral([ada], here, count);
    const statements = await chat.statements(() => ben.api.markStreamAsRead({ stream_id: here.id }));
    const found = await rows<{ bytes: number }>(
      chat.database.db,
      sql`select length(payload::text || audience::text) as bytes from events where realm_id = ${chat.realm.id} order by id desc limit 1`,
    );
    return { statements, bytes: found[0]?.bytes ?? 0 };
  };
  const [few, many] = [await size(2), await size(60)];
  expect(many.statements).toBe(few.statements);
  expect(many.bytes - few.bytes, 'bytes for the digits of larger numbers').toBeLessThan(10);
});

test.runIf(onPostgres)('another process delivers the event as well', async () => {
  const made = await createFixture();
  const { ben, ids } = made;
  const other = await startSecondProcess(chat);
  try {
    const api = other.apiOf(ben);
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['update_message_flags'] });
    const poll = api.getEvents({ queue_id, last_event_id });
    await markStream(made);
    expect((await poll).events).toMatchObject([{ messages: ids }]);
  } finally {
    await other.close();
  }
});
