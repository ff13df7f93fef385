import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
async function room(by: TestUser, members: TestUser[] = []): Promise<{ name: string; id: number }> {
  const name = `room ${made++}`;
  const id = await chat.stream(name, { by, members });
  await Promise.all([by, ...members].map((person) => person.takeEvents()));
  return { name, id };
}
const send = (from: TestUser, to: string, topic: string, content = 'hi') =>
  from.api.sendMessage({ type: 'stream', to, topic, content });

// Writes personal settings directly; these users keep no mirror that would differ.
async function set(person: TestUser, settings: object): Promise<void> {
  await chat.database.db.execute(`insert into user_settings (realm_id, user_id, overrides) values (${chat.realm.id}, ${person.id}, '${JSON.stringify(settings)}')
    on conflict (realm_id, user_id) do update set overrides = excluded.overrides`);
}
const quiet = (name: string) => chat.user(name, { mirrored: false });
const mute = ({ api }: TestUser, stream_id: number) =>
  api.updateSubscriptionProperty({ stream_id, property: 'is_muted', value: true });

test('a user who starts a topic follows it from then on, and other senders do not', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const { name, id } = await room(ada, [ben]);
  expect(await send(ada, name, 'Soup')).toEqual({ id: expect.any(Number), automatic_new_visibility_policy: 3 });
  expect(await send(ada, name, 'soup')).toEqual({ id: expect.any(Number) });
  expect(await send(ben, name, 'soup')).toEqual({ id: expect.any(Number) });
  expect(await ada.takeEvents('user_topic')).toEqual([
    {
      id: expect.any(Number),
      type: 'user_topic',
      stream_id: id,
      topic_name: 'Soup',
      last_updated: expect.any(Number),
      visibility_policy: 3,
    },
  ]);
  expect(await ben.takeEvents('user_topic')).toEqual([]);
});

// shows: 4.13.48
test('sending follows the topic for users with this setting, and for no others', async () => {
  const [ada, ben] = [await quiet('ada'), await quiet('ben')];
  const { name } = await room(ada, [ben]);
  await set(ada, { automatically_follow_topics_policy: 4, automatically_unmute_topics_in_muted_streams_policy: 4 });
  for (const policy of [1, 2]) {
    await set(ben, { automatically_follow_topics_policy: policy });
    expect(await send(ada, name, `soup ${policy}`)).toEqual({ id: expect.any(Number) });
    expect(await send(ben, name, `soup ${policy}`)).toMatchObject({ automatic_new_visibility_policy: 3 });
  }
});

// shows: 4.13.49
test('sending to a muted stream unmutes the topic by default; sending to other streams does not', async () => {
  const [ada, ben] = [await quiet('ada'), await quiet('ben')];
  const { name, id } = await room(ada, [ben]);
  await send(ada, name, 'soup');
  expect(await send(ben, name, 'soup')).toEqual({ id: expect.any(Number) });
  await mute(ben, id);
  const queue = await ben.api.registerQueue({ event_types: ['user_topic'] });
  expect(await send(ben, name, 'soup')).toMatchObject({ automatic_new_visibility_policy: 2 });
  expect(await send(ben, name, 'soup')).toEqual({ id: expect.any(Number) });
  const { events } = await ben.api.getEvents({ ...queue, dont_block: true });
  expect(events).toMatchObject([{ type: 'user_topic', stream_id: id, topic_name: 'soup', visibility_policy: 2 }]);
});

test('following takes precedence over unmuting', async () => {
  const [ada, ben] = [await quiet('ada'), await quiet('ben')];
  const { name, id } = await room(ada, [ben]);
  await send(ada, name, 'soup');
  await mute(ben, id);
  await set(ben, { automatically_follow_topics_policy: 2 });
  expect(await send(ben, name, 'soup')).toMatchObject({ automatic_new_visibility_policy: 3 });
});

test('a bot follows and unmutes no topic', async () => {
  const [ada] = await chat.users('ada');
  const robot = await chat.user('robot', { bot_of: ada });
  const { name } = await room(ada, [robot]);
  expect(await send(robot, name, 'soup')).toEqual({ id: expect.any(Number) });
  expect(await robot.takeEvents('user_topic')).toEqual([]);
});

// shows: 4.13.50
test('a mention by name follows the topic, unless a setting or mute prevents it; groups and wildcards do not count', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const [dan, eve] = [await quiet('dan'), await quiet('eve')];
  const { name, id } = await room(ada, [ben, cleo, dan, eve]);
  await set(dan, { automatically_follow_topics_where_mentioned: false });
  await send(ada, name, 'soup', 'first');
  const muted = { stream_id: id, topic_name: 'soup' };
  await chat.database.db.execute(`insert into user_topics (realm_id, user_id, topic_id, visibility_policy, last_updated)
    select realm_id, ${eve.id}, id, 1, now() from topics where conversation_id = ${id} and name = 'soup'`);
  await send(ada, name, 'soup', [ben, dan, eve].map((person) => `@**${person.full_name}**`).join());
  await send(ada, name, 'soup', '@**all**');
  expect(await ben.takeEvents('user_topic')).toMatchObject([
    { stream_id: id, topic_name: 'soup', visibility_policy: 3 },
  ]);
  expect(await cleo.takeEvents('user_topic')).toEqual([]);
  const topics = async ({ api }: TestUser) => (await api.registerQueue({ event_types: ['user_topic'] })).user_topics;
  expect(await topics(dan)).toEqual([]);
  expect(await topics(eve)).toMatchObject([{ ...muted, visibility_policy: 1 }]);
});
