import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { findOrCreateTopic, findTopic, findTopicPolicy, setTopicPolicy } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
  await chat.owner.api.updateRealm({ enable_spectator_access: true });
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const topicsOf = async (person: TestUser, stream_id: number) =>
  (await person.api.getStreamTopics({ stream_id })).topics.filter(({ name }) => name !== 'stream events');

test('topics are listed newest first, those that differ only in case as one, with the first name', async () => {
  const ada = await chat.user('ada');
  const name = fresh('kitchen');
  const stream_id = await chat.stream(name, { by: ada });
  await chat.message({ from: ada, to: name, topic: 'Soup' });
  const tea = await chat.message({ from: ada, to: name, topic: 'tea' });
  expect(await topicsOf(ada, stream_id)).toMatchObject([{ name: 'tea' }, { name: 'Soup' }]);
  const soup = await chat.message({ from: ada, to: name, topic: 'SOUP' });
  expect(await topicsOf(ada, stream_id)).toEqual([
    { name: 'Soup', max_id: soup },
    { name: 'tea', max_id: tea },
  ]);
});

test('a new subscriber to protected history finds only the topics of messages they received', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const [guarded, shared] = [fresh('kept'), fresh('shared')];
  const ids = [
    await chat.stream(guarded, { by: ada, members: [cleo], invite_only: true }),
    await chat.stream(shared, { by: ada, invite_only: true, history_public_to_subscribers: true }),
  ];
  const old = [
    await chat.message({ from: ada, to: guarded, topic: 'old' }),
    await chat.message({ from: ada, to: shared, topic: 'old' }),
  ];
  await chat.message({ from: ada, to: guarded, topic: 'both' });
  await ada.api.subscribe({ subscriptions: [{ name: guarded }, { name: shared }], principals: [ben.id] });
  const both = await chat.message({ from: ada, to: guarded, topic: 'both' });
  await cleo.api.unsubscribe({ subscriptions: [guarded] });
  await chat.message({ from: ada, to: guarded, topic: 'while away' });
  await ada.api.subscribe({ subscriptions: [{ name: guarded }], principals: [cleo.id] });
  expect((await ben.api.getStreamTopics({ stream_id: ids[0] ?? 0 })).topics).toMatchObject([
    { name: 'while away' },
    { name: 'both', max_id: both },
  ]);
  expect(await topicsOf(ben, ids[1] ?? 0)).toEqual([{ name: 'old', max_id: old[1] }]);
  expect(await topicsOf(cleo, ids[0] ?? 0)).toEqual([
    { name: 'both', max_id: both },
    { name: 'old', max_id: old[0] },
  ]);
});

test('a message of protected history that the user marked as unread before is found with its topic', async () => {
  const [ada, ben] = [await chat.user('ada', { role: 'admin' }), await chat.user('ben')];
  const name = fresh('opened');
  const stream_id = await chat.stream(name, { by: ada });
  const marked = await chat.message({ from: ada, to: name, topic: 'old' });
  await chat.message({ from: ada, to: name, topic: 'older' });
  await ben.api.subscribe({ subscriptions: [{ name }] });
  await ben.api.updateMessageFlags({ messages: [marked], op: 'remove', flag: 'read' });
  await ada.api.updateStream({ stream_id, is_private: true, history_public_to_subscribers: false });
  const narrow = [
    ['stream', stream_id],
    ['topic', 'old'],
  ] as const;
  const { messages } = await ben.api.getMessages({ anchor: 'newest', num_before: 9, num_after: 0, narrow });
  expect(messages).toMatchObject([{ id: marked }]);
  expect(await topicsOf(ben, stream_id)).toEqual([{ name: 'old', max_id: marked }]);
});

test('the topics of a stream that the user cannot read are reported as of an unknown stream, to administrators too', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [amy, gus] = [await chat.user('amy', { role: 'admin' }), await chat.user('gus', { role: 'guest' })];
  const [secret, open] = [fresh('secret'), fresh('open')];
  const secretId = await chat.stream(secret, { by: ada, invite_only: true });
  const openId = await chat.stream(open, { by: ada });
  const missing = await expectError('BAD_REQUEST', ben.api.getStreamTopics({ stream_id: 999_999 }), /999999/);
  for (const [person, stream_id] of [
    [ben, secretId],
    [amy, secretId],
    [gus, openId],
  ] as const) {
    const errorResponse = await expectError('BAD_REQUEST', person.api.getStreamTopics({ stream_id }));
    expect(errorResponse).toEqual({ ...missing, msg: missing.msg.replace('999999', String(stream_id)) });
  }
  await chat.message({ from: ada, to: open, topic: 'soup' });
  expect(await topicsOf(ben, openId)).toMatchObject([{ name: 'soup' }]);
});

test('a guest can list the topics of a web-public stream only while they are subscribed', async () => {
  const [ada, gus] = [await chat.user('ada'), await chat.user('gus', { role: 'guest' })];
  const web = fresh('web');
  const stream_id = await chat.stream(web, { by: chat.owner, is_web_public: true });
  await chat.message({ from: ada, to: web, topic: 'soup' });
  expect(await topicsOf(gus, stream_id)).toEqual([]);
  await ada.api.subscribe({ subscriptions: [{ name: web }], principals: [gus.id] });
  expect(await topicsOf(gus, stream_id)).toMatchObject([{ name: 'soup' }]);
});

test('users who concurrently begin the same topic get the same topic', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const stream_id = await chat.stream(fresh('busy'), { by: ada });
  const begin = (name: string) => chat.act((ctx) => findOrCreateTopic(ctx.db, ctx.realm.id, stream_id, name));
  const topics = await Promise.all(['Soup', 'SOUP', 'soup', 'Soup'].map(begin));
  expect(new Set(topics.map(({ id }) => id)).size).toBe(1);
  expect(topics.filter(({ created }) => created)).toHaveLength(1);
  expect(await chat.act((ctx) => findTopic(ctx.db, ctx.realm.id, stream_id, 'sOUP'))).toEqual({
    id: topics[0]?.id,
    name: topics[0]?.name,
  });
});

test("a user's topic policies are emitted to the user alone, stored, and removed by policy 0", async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream(fresh('kitchen'), { by: ada, members: [ben] });
  for (const person of [ada, ben]) await person.takeEvents();
  const set = (visibility_policy: 0 | 1 | 3) =>
    chat.act(async (ctx) => {
      const topic = await findOrCreateTopic(ctx.db, ctx.realm.id, stream_id, 'Soup');
      await setTopicPolicy(ctx, { user_id: ada.id, topic, stream_id, visibility_policy });
      return findTopicPolicy(ctx.db, ctx.realm.id, ada.id, topic.id);
    });
  const state = async () => (await ada.api.registerQueue({ fetch_event_types: ['user_topic'] })).user_topics;
  expect([await set(1), await set(3)]).toEqual([1, 3]);
  const [first, second, ...more] = await ada.takeEvents();
  const followed = { stream_id, topic_name: 'Soup', last_updated: expect.any(Number), visibility_policy: 3 };
  expect([first, second, ...more]).toEqual([
    { id: expect.any(Number), type: 'user_topic', ...followed, visibility_policy: 1 },
    { id: expect.any(Number), type: 'user_topic', ...followed },
  ]);
  expect(await state()).toEqual([followed]);
  expect(await set(0)).toBe(0);
  expect(await ada.takeEvents()).toMatchObject([{ type: 'user_topic', topic_name: 'Soup', visibility_policy: 0 }]);
  expect(await state()).toEqual([]);
  expect(await ben.takeEvents()).toEqual([]);
});
