import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const policiesOf = async (person: TestUser) =>
  (await person.api.registerQueue({ fetch_event_types: ['user_topic'] })).user_topics;
const policy = (stream_id: number, topic_name: string, visibility_policy: number) => ({
  stream_id,
  topic_name,
  last_updated: expect.any(Number),
  visibility_policy,
});

test('a topic is muted, unmuted, followed and reset, for the user alone', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream(fresh('soup'), { by: ben, members: [ada] });
  await chat.message({ from: ben, to: stream_id, topic: 'Soup' });
  for (const person of [ada, ben]) await person.takeEvents();
  for (const visibility_policy of [1, 2, 3] as const) {
    expect(await ada.api.updateUserTopic({ stream_id, topic: ' soup ', visibility_policy })).toEqual({});
    expect(await ada.takeEvents()).toEqual([
      { id: expect.any(Number), type: 'user_topic', ...policy(stream_id, 'Soup', visibility_policy) },
    ]);
    expect(await policiesOf(ada)).toEqual([policy(stream_id, 'Soup', visibility_policy)]);
  }
  await ada.api.updateUserTopic({ stream_id, topic: 'SOUP', visibility_policy: 0 });
  expect(await ada.takeEvents()).toMatchObject([{ type: 'user_topic', topic_name: 'Soup', visibility_policy: 0 }]);
  expect(await policiesOf(ada)).toEqual([]);
  expect(await ben.takeEvents()).toEqual([]);
});

test('a topic without messages can be followed, and keeps the name it was given', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const stream_id = await chat.stream(fresh('soup'), { by: ben });
  await ada.api.updateUserTopic({ stream_id, topic: 'Bread', visibility_policy: 3 });
  expect(await policiesOf(ada)).toEqual([policy(stream_id, 'Bread', 3)]);
  expect((await ada.api.getStreamTopics({ stream_id })).topics.map(({ name }) => name)).toEqual(['stream events']);
  await chat.message({ from: ben, to: stream_id, topic: 'bread' });
  expect((await ada.api.getStreamTopics({ stream_id })).topics).toMatchObject([{ name: 'Bread' }, {}]);
});

test('the present policy succeeds and emits no event', async () => {
  const ada = await chat.user('ada');
  const stream_id = await chat.stream(fresh('soup'), { by: ada });
  await ada.api.updateUserTopic({ stream_id, topic: 'soup', visibility_policy: 0 });
  await ada.api.updateUserTopic({ stream_id, topic: 'soup', visibility_policy: 1 });
  await ada.takeEvents();
  await ada.api.updateUserTopic({ stream_id, topic: 'soup', visibility_policy: 1 });
  await ada.api.updateUserTopic({ stream_id, topic: 'tea', visibility_policy: 0 });
  expect(await ada.takeEvents()).toEqual([]);
});

test('topics of a stream that the user cannot read cannot be followed, by administrators either', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [amy, gus] = [await chat.user('amy', { role: 'admin' }), await chat.user('gus', { role: 'guest' })];
  const secret = await chat.stream(fresh('secret'), { by: ada, invite_only: true });
  const open = await chat.stream(fresh('open'), { by: ada });
  const follow = (person: TestUser, stream_id: number) =>
    person.api.updateUserTopic({ stream_id, topic: 'soup', visibility_policy: 3 });
  const unknown = await expectError('BAD_REQUEST', follow(ben, 999_999), /999999/);
  for (const [person, stream_id] of [
    [ben, secret],
    [amy, secret],
    [gus, open],
  ] as const) {
    const errorResponse = await expectError('BAD_REQUEST', follow(person, stream_id));
    expect(errorResponse).toEqual({ ...unknown, msg: unknown.msg.replace('999999', String(stream_id)) });
  }
});

test('a topic follows the rules of topics', async () => {
  const ada = await chat.user('ada');
  const stream_id = await chat.stream(fresh('soup'), { by: ada });
  const mute = (topic: string) => ada.api.updateUserTopic({ stream_id, topic, visibility_policy: 1 });
  await expectError('BAD_REQUEST', mute(' '), /topic/);
  await expectError('BAD_REQUEST', mute('x'.repeat(61)), /topic.*60/);
  await expectError('BAD_REQUEST', mute('a\u0007'), /position 2/);
  await mute(`✔ ${'x'.repeat(60)}`);
  for (const visibility_policy of [4, -1] as never[]) {
    await expectError(
      'BAD_REQUEST',
      ada.api.updateUserTopic({ stream_id, topic: 'a', visibility_policy }),
      /visibility_policy/,
    );
  }
  expect(await policiesOf(ada)).toHaveLength(1);
});

test('concurrent requests leave one topic and one policy', async () => {
  const ada = await chat.user('ada');
  const stream_id = await chat.stream(fresh('soup'), { by: ada });
  await Promise.all(
    ['Soup', 'soup', 'SOUP', 'Soup'].map((topic, n) =>
      ada.api.updateUserTopic({ stream_id, topic, visibility_policy: n % 2 === 0 ? 1 : 3 }),
    ),
  );
  const found = await rows(
    chat.database.db,
    sql`select from topics t join user_topics u on u.realm_id = t.realm_id and u.topic_id = t.id where t.conversation_id = ${stream_id}`,
  );
  expect(found).toHaveLength(1);
});
