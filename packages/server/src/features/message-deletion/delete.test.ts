import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { createStreamFixture, shared } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ delete_own_message_policy: 5 });
});
afterAll(() => chat.close());

const remove = (by: TestUser, message_id: number) => by.api.deleteMessage({ message_id });
const unknown = (id: number) => new RegExp(`no message ${id}`);
const under = async (policy: 1 | 2 | 3 | 4 | 5, work: () => Promise<unknown>) => {
  await chat.owner.api.updateRealm({ delete_own_message_policy: policy });
  await work().finally(() => chat.owner.api.updateRealm({ delete_own_message_policy: 5 }));
};

test('no user can read a deleted message, and its subscribers receive the event', async () => {
  const { ada, ben, id, send, discardEvents } = await createStreamFixture(chat);
  const message_id = await send(ada, 'pea');
  await discardEvents();
  await remove(ada, message_id);
  const event = { id: expect.any(Number), type: 'delete_message', message_type: 'stream', message_ids: [message_id] };
  expect(await ben.takeEvents()).toEqual([{ ...event, stream_id: id, topic: 'soup' }]);
  expect(await ada.takeEvents('delete_message')).toHaveLength(1);
  for (const { api } of [ada, ben]) {
    await expectError('BAD_REQUEST', api.getMessage({ message_id }), unknown(message_id));
    await expectError('BAD_REQUEST', api.getMessageHistory({ message_id }), unknown(message_id));
    const flagged = api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'starred' });
    await expectError('BAD_REQUEST', flagged, new RegExp(String(message_id)));
  }
  await expectError('BAD_REQUEST', ada.api.updateMessage({ message_id, content: 'x' }), unknown(message_id));
  const { messages } = await ben.api.getMessages({
    anchor: 'newest',
    num_before: 9,
    num_after: 0,
    narrow: [['stream', id]],
  });
  expect(messages.map((message) => message.id)).not.toContain(message_id);
});

test('deleting a direct message emits an event without a stream to both participants', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const message_id = await chat.message({ from: ada, to: [ben] });
  await Promise.all([ada.takeEvents(), ben.takeEvents()]);
  await remove(ada, message_id);
  const event = { id: expect.any(Number), type: 'delete_message', message_type: 'private', message_ids: [message_id] };
  expect([await ada.takeEvents(), await ben.takeEvents()]).toEqual([[event], [event]]);
  expect(await cleo.takeEvents('delete_message')).toEqual([]);
});

test('a deleted message no longer counts as unread and is in no list of starred messages', async () => {
  const [cleo] = await chat.users('cleo');
  const { ada, ben, send } = await createStreamFixture(chat);
  const id = await send(ada, `@**${ben.full_name}**`);
  for (const { api } of [ben, cleo]) await api.updateMessageFlags({ messages: [id], op: 'add', flag: 'starred' });
  await remove(ada, id);
  for (const person of [ben, cleo]) {
    expect(await person.takeEvents('delete_message')).toMatchObject([{ message_ids: [id] }]);
    const { starred_messages, unread_msgs } = await person.api.registerQueue();
    expect(starred_messages).toEqual([]);
    expect(unread_msgs?.mentions).toEqual([]);
    expect(unread_msgs?.streams.flatMap(({ unread_message_ids }) => unread_message_ids)).not.toContain(id);
  }
});

test('a message that a user starred before the history became protected is in their event of its deletion', async () => {
  const [cleo] = await chat.users('cleo');
  const iago = await chat.user('iago', { role: 'admin' });
  const { ada, id: stream_id, name, send } = await createStreamFixture(chat, [iago]);
  const other = await send(ada);
  await cleo.api.updateMessageFlags({ messages: [other], op: 'add', flag: 'starred' });
  await iago.api.updateStream({ stream_id, is_private: true, history_public_to_subscribers: false });
  await ada.api.subscribe({ subscriptions: [{ name }], principals: [cleo.id] });
  const received = await send(ada);
  await cleo.takeEvents();
  await iago.api.deleteTopic({ stream_id, topic_name: 'soup' });
  const heard = (await cleo.takeEvents('delete_message')).flatMap(({ message_ids }) => message_ids);
  expect(heard.toSorted((one, other) => one - other)).toEqual([other, received]);
});

test('a deleted message cannot be deleted again, and of concurrent requests one succeeds', async () => {
  const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
  const admin = await chat.user('iago', { role: 'admin' });
  const id = await send(ada);
  await discardEvents();
  const outcomes = await Promise.allSettled([remove(ada, id), remove(admin, id), remove(ada, id)]);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expectError('BAD_REQUEST', remove(ada, id), unknown(id));
  expect(await ben.takeEvents('delete_message')).toHaveLength(1);
});

test('of a concurrent edit and deletion the deletion always succeeds, and no event of the edit follows', async () => {
  const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
  const message_id = await send(ada);
  await discardEvents();
  const edit = ada.api.updateMessage({ message_id, content: 'x' }).catch(() => undefined);
  await Promise.all([edit, remove(ada, message_id)]);
  expect((await ben.takeEvents('update_message', 'delete_message')).at(-1)).toMatchObject({ type: 'delete_message' });
  await expectError('BAD_REQUEST', ada.api.getMessage({ message_id }), unknown(message_id));
});

test('administrators can delete all messages that they can read; others only their own, moderators included', async () => {
  const { ada, ben, send } = await createStreamFixture(chat);
  for (const role of ['admin', 'owner'] as const) {
    const person = await chat.user('iago', { role });
    await remove(person, await send(ada));
    const direct = await chat.message({ from: ada, to: [person] });
    await remove(person, direct);
    await expectError('BAD_REQUEST', ada.api.getMessage({ message_id: direct }), unknown(direct));
  }
  const moderator = await chat.user('mod', { role: 'moderator' });
  const id = await send(ada);
  for (const person of [ben, moderator]) await expectError('BAD_REQUEST', remove(person, id), /own messages/);
  expect((await ben.api.getMessage({ message_id: id })).raw_content).toBe('hello');
  expect(await ada.takeEvents('delete_message')).toHaveLength(4);
});

test('for administrators a message that they cannot read is reported as unknown', async () => {
  const { ada, ben, send } = await createStreamFixture(chat, [], shared);
  const inside = await send(ada);
  const direct = await chat.message({ from: ada, to: [ben] });
  for (const role of ['admin', 'owner'] as const) {
    const person = await chat.user('iago', { role });
    for (const id of [inside, direct, 987_654]) await expectError('BAD_REQUEST', remove(person, id), unknown(id));
  }
  expect(await ben.takeEvents('delete_message')).toEqual([]);
});

test.each([
  [1, 'members', { guest: false, member: true, moderator: true, admin: true }],
  [2, 'administrators', { guest: false, member: false, moderator: false, admin: true }],
  [3, 'full members', { guest: false, member: false, moderator: true, admin: true }],
  [4, 'moderators', { guest: false, member: false, moderator: true, admin: true }],
  [5, 'everyone', { guest: true, member: true, moderator: true, admin: true }],
] as const)('under policy %i their own messages can be deleted by %s', async (policy, _who, may) => {
  await chat.owner.api.updateRealm({ waiting_period_threshold: 1 });
  const roles = Object.keys(may) as (keyof typeof may)[];
  const users = await Promise.all(roles.map((role) => chat.user('eve', { role })));
  const { send } = await createStreamFixture(chat, users);
  await under(policy, async () => {
    for (const [n, person] of users.entries()) {
      const id = await send(person);
      if (may[roles[n] ?? 'guest']) await remove(person, id);
      else await expectError('BAD_REQUEST', remove(person, id), /permission/);
    }
  });
});

test('by default only administrators delete messages', async () => {
  const fresh = await startChat();
  try {
    const [ada] = await fresh.users('ada');
    const id = await fresh.message({ from: ada, to: [ada] });
    await expectError('BAD_REQUEST', remove(ada, id), /permission/);
    const own = await fresh.message({ from: fresh.owner, to: [ada] });
    await remove(fresh.owner, own);
  } finally {
    await fresh.close();
  }
});

test('the owner of a bot can delete its messages like their own, where they can read them', async () => {
  const { ada, ben, name } = await createStreamFixture(chat);
  const robot = await chat.user('robot', { bot_of: ben });
  const posts = [1, 2, 3].map(() => chat.message({ from: robot, to: name }));
  const [one = 0, two = 0, three = 0] = await Promise.all(posts);
  await expectError('BAD_REQUEST', remove(ada, one), /own messages/);
  await remove(ben, one);
  await remove(robot, two);
  await under(4, () => expectError('BAD_REQUEST', remove(ben, three), /permission/));
  const secret = await chat.message({ from: robot, to: [ada] });
  await expectError('BAD_REQUEST', remove(ben, secret), unknown(secret));
  expect(await ada.takeEvents('delete_message')).toMatchObject([{ message_ids: [one] }, { message_ids: [two] }]);
});

test('only administrators can delete messages of the Notification Bot', async () => {
  const { ada, ben, id } = await createStreamFixture(chat);
  const { messages } = await ben.api.getMessages({
    anchor: 'oldest',
    num_before: 0,
    num_after: 9,
    narrow: [['stream', id]],
  });
  const [notice] = messages;
  expect(notice).toMatchObject({ sender_full_name: 'Notification Bot' });
  const message_id = notice?.id ?? 0;
  await expectError('BAD_REQUEST', remove(ada, message_id), /own messages/);
  await remove(chat.owner, message_id);
  expect(await ben.takeEvents('delete_message')).toMatchObject([{ topic: 'stream events', message_ids: [message_id] }]);
});
