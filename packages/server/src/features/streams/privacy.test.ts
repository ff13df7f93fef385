// Which users gain or lose the visibility of a stream when its privacy changes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
  await chat.owner.api.updateRealm({ enable_spectator_access: true });
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const id = expect.any(Number);
const streamAs = async (person: TestUser, stream_id: number) => (await person.api.getStream({ stream_id })).stream;
const kinds = (events: readonly { type: string; op?: string }[]) =>
  events.map(({ type, op }) => (op ? `${type} ${op}` : type));

/** A stream of Ada's with Ben in it, and outside it a member, an administrator and a guest. */
async function around(settings: Parameters<Chat['stream']>[1] | object = {}) {
  const [ben, dan] = await chat.users('ben', 'dan');
  const ada = await chat.user('ada', { role: 'owner' });
  const [amy, gus] = [await chat.user('amy', { role: 'admin' }), await chat.user('gus', { role: 'guest' })];
  const name = fresh('soup');
  const stream_id = await chat.stream(name, { ...settings, by: ada, members: [ben] });
  const all = [ada, ben, dan, amy, gus];
  const forget = async () => {
    for (const person of all) await person.takeEvents();
  };
  await forget();
  return { ada, ben, dan, amy, gus, name, stream_id, forget };
}
const privacy = (
  person: TestUser,
  stream_id: number,
  params: Omit<Parameters<TestUser['api']['updateStream']>[0], 'stream_id'>,
) => person.api.updateStream({ stream_id, ...params });

test('when a public stream becomes private, users without a subscription receive its deletion with its former name', async () => {
  const { ada, ben, dan, amy, name, stream_id } = await around();
  const before = await streamAs(dan, stream_id);
  await privacy(ada, stream_id, { is_private: true, new_name: fresh('plan'), description: 'Nobody must know.' });
  const after = await streamAs(ada, stream_id);
  expect(await dan.takeEvents()).toEqual([{ id, type: 'stream', op: 'delete', streams: [before] }]);
  for (const person of [ben, amy]) {
    const heard = await person.takeEvents('stream');
    expect(heard.map((event) => event.op === 'update' && event.property)).toEqual([
      'name',
      'description',
      'invite_only',
    ]);
    expect(heard.at(-1)).toEqual({
      id,
      type: 'stream',
      op: 'update',
      stream_id,
      name: after.name,
      property: 'invite_only',
      value: true,
      history_public_to_subscribers: false,
      is_web_public: false,
    });
  }
  expect(name).not.toBe(after.name);
  await expectError('BAD_REQUEST', dan.api.getStream({ stream_id }));
  await expectError('BAD_REQUEST', amy.api.getStreamTopics({ stream_id }));
  await expectError(
    'STREAM_DOES_NOT_EXIST',
    dan.api.sendMessage({ type: 'stream', to: stream_id, topic: 'a', content: 'b' }),
  );
});

test('when a private stream becomes public, members receive its creation with its subscribers, and can read its history', async () => {
  const { ada, ben, dan, amy, gus, stream_id } = await around({ invite_only: true });
  const old = await chat.message({ from: ada, to: stream_id });
  await ben.takeEvents();
  await privacy(ada, stream_id, { is_private: false });
  const stream = await streamAs(dan, stream_id);
  expect(stream).toMatchObject({ invite_only: false, history_public_to_subscribers: true });
  expect(await dan.takeEvents()).toEqual([
    { id, type: 'stream', op: 'create', streams: [stream] },
    {
      id,
      type: 'subscription',
      op: 'peer_add',
      stream_ids: [stream_id],
      user_ids: [ada.id, ben.id].sort((a, b) => a - b),
    },
  ]);
  for (const person of [ben, amy])
    expect(kinds(await person.takeEvents('stream', 'subscription'))).toEqual(['stream update']);
  expect(await gus.takeEvents()).toEqual([]);
  expect((await dan.api.getMessage({ message_id: old })).message.flags).toEqual(['read', 'historical']);
});

test('a stream that becomes web-public is created for guests, and deleted for them when it is public again', async () => {
  const { ada, dan, gus, stream_id } = await around();
  await privacy(ada, stream_id, { is_web_public: true });
  expect(kinds(await gus.takeEvents('stream', 'subscription'))).toEqual(['stream create', 'subscription peer_add']);
  expect(await dan.takeEvents('stream')).toMatchObject([{ op: 'update', value: false, is_web_public: true }]);
  await privacy(ada, stream_id, { is_web_public: false });
  expect(kinds(await gus.takeEvents())).toEqual(['stream delete']);
  expect(await dan.takeEvents('stream')).toMatchObject([{ op: 'update', value: false, is_web_public: false }]);
});

test('a private stream that becomes web-public is created for all users, and deleted when it becomes private', async () => {
  const { ada, dan, gus, amy, stream_id } = await around({ invite_only: true });
  await privacy(ada, stream_id, { is_web_public: true });
  for (const person of [dan, gus]) expect(kinds(await person.takeEvents('stream'))).toEqual(['stream create']);
  expect(await amy.takeEvents('stream')).toMatchObject([{ op: 'update', value: false, is_web_public: true }]);
  await privacy(ada, stream_id, { is_private: true });
  for (const person of [dan, gus]) expect(kinds(await person.takeEvents('stream'))).toEqual(['stream delete']);
  expect(await amy.takeEvents('stream')).toMatchObject([{ op: 'update', value: true, is_web_public: false }]);
});

test('a former subscriber has their settings of the stream again when it becomes visible again', async () => {
  const { ada, ben, stream_id, name } = await around({ invite_only: true });
  const color = (await ben.api.getSubscriptions({})).subscriptions.find((one) => one.stream_id === stream_id)?.color;
  await ben.api.unsubscribe({ subscriptions: [name] });
  await ben.takeEvents();
  await privacy(ada, stream_id, { is_private: false });
  expect(kinds(await ben.takeEvents('stream', 'subscription'))).toEqual([
    'stream create',
    'subscription add',
    'subscription remove',
    'subscription peer_add',
  ]);
  const { unsubscribed } = await ben.api.registerQueue({
    fetch_event_types: ['subscription'],
    include_subscribers: true,
  });
  expect(unsubscribed).toMatchObject([{ stream_id, color, subscribers: [ada.id] }]);
});

test('topic policies are removed for users who can no longer read the stream', async () => {
  const { ada, ben, dan, amy, stream_id } = await around();
  for (const person of [ada, ben, dan, amy]) await chat.message({ from: person, to: stream_id, topic: person.name });
  const policies = async (person: TestUser) =>
    (await person.api.registerQueue({ fetch_event_types: ['user_topic'] })).user_topics ?? [];
  for (const person of [ada, ben, dan, amy]) expect(await policies(person)).toHaveLength(1);
  for (const person of [ada, ben, dan, amy]) await person.takeEvents();
  await privacy(ada, stream_id, { is_private: true, history_public_to_subscribers: true });
  expect([await policies(dan), await policies(amy)]).toEqual([[], []]);
  expect(await policies(ben)).toHaveLength(1);
  // She still sees the stream, so an event has to remove the topic policy.
  expect(await amy.takeEvents('user_topic')).toMatchObject([{ stream_id, topic_name: 'amy', visibility_policy: 0 }]);
  expect(await dan.takeEvents('user_topic')).toEqual([]);
  await privacy(ada, stream_id, { is_private: false });
  expect([await policies(dan), await policies(amy)]).toEqual([[], []]);
});

test('starred messages stay so, and unread ones too for users who are still subscribed', async () => {
  const { ada, ben, dan, stream_id } = await around();
  const sent = await chat.message({ from: ada, to: stream_id });
  await dan.api.updateMessageFlags({ messages: [sent], op: 'add', flag: 'starred' });
  await privacy(ada, stream_id, { is_private: true });
  const state = async (person: TestUser) => person.api.registerQueue();
  expect((await state(dan)).starred_messages).toEqual([sent]);
  expect((await state(ben)).unread_msgs?.streams.find((one) => one.topic === 'soup')?.unread_message_ids).toEqual([
    sent,
  ]);
  await expectError('BAD_REQUEST', dan.api.getMessage({ message_id: sent }));
  await ada.api.subscribe({ subscriptions: [{ name: (await streamAs(ada, stream_id)).name }], principals: [dan.id] });
  // A starred message is in the user's history.
  expect((await dan.api.getMessage({ message_id: sent })).message.flags).toEqual(['read', 'starred', 'historical']);
});

test('when the history of a private stream becomes protected, subscribers keep received messages, and all see the stream', async () => {
  const { ada, ben, dan, amy, stream_id, name, forget } = await around({
    invite_only: true,
    history_public_to_subscribers: true,
  });
  const old = await chat.message({ from: ada, to: stream_id });
  await ada.api.subscribe({ subscriptions: [{ name }], principals: [dan.id] });
  expect((await dan.api.getMessage({ message_id: old })).message.id).toBe(old);
  await forget();
  await privacy(ada, stream_id, { history_public_to_subscribers: false });
  for (const person of [ben, dan, amy]) {
    expect(await person.takeEvents('stream', 'subscription')).toMatchObject([
      { op: 'update', property: 'invite_only', value: true, history_public_to_subscribers: false },
    ]);
  }
  await expectError('BAD_REQUEST', dan.api.getMessage({ message_id: old }));
  expect((await ben.api.getMessage({ message_id: old })).message.id).toBe(old);
});

test('a user who unsubscribes before receiving that the stream became public ends with the right state', async () => {
  const { ada, ben, stream_id, name } = await around({ invite_only: true });
  await privacy(ada, stream_id, { is_private: false });
  await ben.api.unsubscribe({ subscriptions: [name] });
  expect(kinds(await ben.takeEvents('stream', 'subscription'))).toEqual(['stream update', 'subscription remove']);
});

test('a user who is subscribed again before receiving that the stream became private receives both events', async () => {
  const { ada, dan, stream_id, name } = await around();
  await privacy(ada, stream_id, { is_private: true });
  await ada.api.subscribe({ subscriptions: [{ name }], principals: [dan.id] });
  expect(kinds(await dan.takeEvents('stream', 'subscription'))).toEqual([
    'stream delete',
    'stream create',
    'subscription add',
  ]);
});
