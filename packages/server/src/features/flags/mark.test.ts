// mark_all_as_read, mark_stream_as_read, mark_topic_as_read; and the cost of these and POST /messages/flags.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const heard = async (person: TestUser) =>
  (await person.takeEvents('update_message_flags')).map(({ id: _, ...event }) => event);
const unreadOf = async (person: TestUser) =>
  (await person.api.registerQueue({ fetch_event_types: ['update_message_flags'] })).unread_msgs;
const added = (messages: number[], all = false) => ({
  type: 'update_message_flags',
  op: 'add',
  operation: 'add',
  flag: 'read',
  messages,
  all,
});

/** A stream whose first message is older than the subscriptions of its members. */
async function stream(name: string, by: TestUser, ...members: TestUser[]): Promise<number> {
  const stream_id = await chat.stream(name, { by });
  for (const member of members) await member.api.subscribe({ subscriptions: [{ name }] });
  return stream_id;
}

test('marking all as read reads all unread messages of the user and emits an event with `all`', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('tower', { by: ada });
  const old = await chat.message({ from: ada, to: 'tower' });
  await ben.api.subscribe({ subscriptions: [{ name: 'tower' }] });
  await ben.api.updateMessageFlags({ messages: [old], op: 'remove', flag: 'read' });
  await chat.message({ from: ada, to: 'tower' });
  await chat.message({ from: ada, to: [ben] });
  await heard(ben);

  expect(await ben.api.markAllAsRead()).toEqual({ complete: true });

  expect(await heard(ben)).toEqual([added([], true)]);
  expect(await unreadOf(ben)).toMatchObject({ count: 0, pms: [], streams: [] });
  expect(await unreadOf(ada)).toMatchObject({ count: 3 });
  const next = await chat.message({ from: ada, to: 'tower' });
  expect((await unreadOf(ben))?.streams).toMatchObject([{ unread_message_ids: [next] }]);
});

test('marking all as read with nothing unread succeeds and emits the event', async () => {
  const [ada] = await chat.users('ada');
  expect(await ada.api.markAllAsRead()).toEqual({ complete: true });
  expect(await heard(ada)).toEqual([added([], true)]);
});

test('marking a stream as read emits the ids that changed and does not change other streams', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await stream('mill', ada, ben);
  await stream('pond', ada, ben);
  const ids = [
    await chat.message({ from: ada, to: 'mill' }),
    await chat.message({ from: ada, to: 'mill', topic: 'flour' }),
  ];
  const other = await chat.message({ from: ada, to: 'pond' });

  await ben.api.markStreamAsRead({ stream_id });
  await ben.api.markStreamAsRead({ stream_id });

  expect(await heard(ben)).toEqual([added(ids), added([])]);
  expect((await unreadOf(ben))?.streams).toMatchObject([{ unread_message_ids: [other] }]);
});

test('marking a topic as read ignores the case of its name and does not change other topics', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await stream('barn', ada, ben);
  const ids = [
    await chat.message({ from: ada, to: 'barn', topic: 'Hay' }),
    await chat.message({ from: ada, to: 'barn', topic: 'hay' }),
  ];
  const other = await chat.message({ from: ada, to: 'barn', topic: 'straw' });

  await ben.api.markTopicAsRead({ stream_id, topic_name: ' HAY ' });
  await ben.api.markTopicAsRead({ stream_id, topic_name: 'hay' });

  expect(await heard(ben)).toEqual([added(ids), added([])]);
  expect((await unreadOf(ben))?.streams).toMatchObject([{ unread_message_ids: [other] }]);
});

test('marking a stream that the user cannot read fails like one that does not exist', async () => {
  const [ada] = await chat.users('ada');
  const admin = await chat.user('ben', { role: 'admin' });
  const eve = await chat.user('eve', { role: 'guest' });
  const hidden = await chat.stream('vault', { by: ada, invite_only: true });
  const open = await chat.stream('fair', { by: ada });
  await chat.message({ from: ada, to: 'vault' });
  await chat.message({ from: ada, to: 'fair' });
  for (const [person, stream_id] of [
    [admin, hidden],
    [eve, open],
    [ada, 9_000_000_000],
  ] as const) {
    await expectError('BAD_REQUEST', person.api.markStreamAsRead({ stream_id }), new RegExp(`${stream_id}`));
    await expectError(
      'BAD_REQUEST',
      person.api.markTopicAsRead({ stream_id, topic_name: 'soup' }),
      new RegExp(`${stream_id}`),
    );
    expect(await heard(person)).toEqual([]);
  }
});

test('marking a topic without messages that the user can see fails as unknown', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream('crypt', { by: ada, invite_only: true });
  await chat.message({ from: ada, to: 'crypt', topic: 'bones' });
  await ada.api.subscribe({ subscriptions: [{ name: 'crypt' }], principals: [ben.id] });
  await heard(ben);
  await expectError('BAD_REQUEST', ben.api.markTopicAsRead({ stream_id, topic_name: 'bones' }), /bones/);
  await expectError('BAD_REQUEST', ada.api.markTopicAsRead({ stream_id, topic_name: 'ghosts' }), /ghosts/);
  expect(await heard(ben)).toEqual([]);
  const id = await chat.message({ from: ada, to: 'crypt', topic: 'bones' });
  await ben.api.markTopicAsRead({ stream_id, topic_name: 'bones' });
  expect(await heard(ben)).toEqual([added([id])]);
});

test('a stream that the user can read without a subscription has nothing to mark', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream('park', { by: ada });
  await chat.message({ from: ada, to: 'park' });
  await ben.api.markStreamAsRead({ stream_id });
  await ben.api.markTopicAsRead({ stream_id, topic_name: 'soup' });
  expect(await heard(ben)).toEqual([added([]), added([])]);
});

test('marking any number of messages takes the same few statements and hardly any rows', async () => {
  // Inserts the messages directly, without events.
  const [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
  const stream_id = await stream('archive', ada, ben);
  const one = await chat.message({ from: ada, to: 'archive' });
  const N = 10_000;
  const ids = await chat.act(async ({ db, realm }) => {
    await rows(
      db,
      sql`update conversations set last_seq = last_seq + ${N}::int where realm_id = ${realm.id} and id = ${stream_id}`,
    );
    return rows<{ id: number }>(
      db,
      sql`insert into messages (realm_id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
            is_me_message, has_link, has_image, has_attachment, stream_wildcard)
          select m.realm_id, m.conversation_id, c.last_seq - n, m.topic_id, m.sender_id, 'x', 'x', m.client, m.sent_at, false, false, false, false, false
          from messages m join conversations c on c.realm_id = m.realm_id and c.id = m.conversation_id, generate_series(0, ${N - 1}::int) n
          where m.realm_id = ${realm.id} and m.id = ${one} returning id`,
    );
  });
  const messages = ids.map(({ id }) => id);
  const change = (op: 'add' | 'remove', messages: number[]) =>
    ben.api.updateMessageFlags({ messages, op, flag: 'read' });
  const single = await chat.statements(() => change('add', [one]));
  let answer: { messages: number[] } | undefined;
  const many = await chat.statements(async () => {
    answer = await change('add', messages);
  });
  expect(many).toBe(single);
  expect(answer?.messages).toEqual(messages);
  const marks = await rows(
    chat.database.db,
    sql`select chunk from read_marks where user_id = ${ben.id} and conversation_id = ${stream_id}`,
  );
  expect(marks.length).toBeLessThanOrEqual(N / 4096 + 1);
  expect(await unreadOf(ben)).toMatchObject({ count: 0 });
  expect((await change('remove', messages)).messages).toHaveLength(N);
  expect(await unreadOf(ben)).toMatchObject({ count: N });
  await ben.api.markAllAsRead();
  expect(await unreadOf(ben)).toMatchObject({ count: 0 });
});
