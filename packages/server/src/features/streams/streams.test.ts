import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
  await chat.owner.api.updateRealm({ enable_spectator_access: true });
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

const none = { include_public: false, include_subscribed: false };
const namesFor = async (person: TestUser, sources: Parameters<TestUser['api']['getStreams']>[0] = {}) =>
  (await person.api.getStreams(sources)).streams.map(({ name }) => name);

let made = 0;
/** A public, a web-public and a private stream, and a second public one, with `by` as the only subscriber. */
async function fourStreams(by: TestUser = chat.owner) {
  const tag = `s${made++}`;
  const [open, other, web, secret] = [`${tag} open`, `${tag} other`, `${tag} web`, `${tag} secret`];
  const ids = {
    open: await chat.stream(open, { by }),
    other: await chat.stream(other, { by }),
    web: await chat.stream(web, { by: chat.owner, is_web_public: true }),
    secret: await chat.stream(secret, { by, invite_only: true }),
  };
  const ours = (names: string[]) =>
    names.filter((name) => name.startsWith(tag)).map((name) => name.slice(tag.length + 1));
  return { names: { open, other, web, secret }, ids, ours };
}

// shows: 2.1, 4.3.1, 4.3.2, 4.3.3, 4.3.5
test('the list of streams is the union of the given sources, each stream once; without a source it is empty', async () => {
  const ada = await chat.user('ada');
  const { names, ours } = await fourStreams();
  await ada.api.subscribe({ subscriptions: [{ name: names.other }] });
  expect(ours(await namesFor(ada))).toEqual(['open', 'other', 'web']);
  expect(ours(await namesFor(ada, { ...none, include_subscribed: true }))).toEqual(['other']);
  expect(ours(await namesFor(ada, { ...none, include_web_public: true, include_subscribed: true }))).toEqual([
    'other',
    'web',
  ]);
  expect(await namesFor(ada, none)).toEqual([]);
});

// shows: 4.3.3
test('a private stream is listed for its subscribers', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const { ours } = await fourStreams(ada);
  expect(ours(await namesFor(ada))).toContain('secret');
  expect(ours(await namesFor(ada, { include_subscribed: false }))).not.toContain('secret');
  expect(ours(await namesFor(ben))).not.toContain('secret');
});

test('streams are sorted by name in the order of code points', async () => {
  const ada = await chat.user('ada');
  for (const name of ['zz b', 'zz Ä', 'zz C', 'zz \u{1f372}', 'zz \uff5e']) await chat.stream(name, { by: ada });
  expect((await namesFor(ada)).filter((name) => name.startsWith('zz'))).toEqual([
    'zz C',
    'zz b',
    'zz Ä',
    'zz \uff5e',
    'zz \u{1f372}',
  ]);
});

test('for a guest no stream is public: they see web-public streams and their own, also among default streams', async () => {
  const [gus, ada] = [await chat.user('gus', { role: 'guest' }), await chat.user('ada')];
  const { names, ours } = await fourStreams(ada);
  await chat.stream(`${names.open} default`, { by: chat.owner, is_default_stream: true });
  await ada.api.subscribe({ subscriptions: [{ name: names.other }], principals: [gus.id] });
  expect(ours(await namesFor(gus))).toEqual(['other']);
  expect(ours(await namesFor(gus, { include_web_public: true, include_default: true }))).toEqual(['other', 'web']);
  expect(ours(await namesFor(ada, { ...none, include_default: true }))).toEqual(['open default']);
  expect((await gus.api.registerQueue({ fetch_event_types: ['default_streams'] })).realm_default_streams).toEqual([]);
});

// shows: 4.3.6
test('a bot can list the streams of its owner; for a human the parameter has no effect', async () => {
  const ada = await chat.user('ada');
  const robo = await chat.user('robo', { bot_of: ada });
  const { ours } = await fourStreams(ada);
  expect(ours(await namesFor(robo, { ...none, include_owner_subscribed: true }))).toEqual(['open', 'other', 'secret']);
  expect(await namesFor(robo, none)).toEqual([]);
  expect(await namesFor(ada, { ...none, include_owner_subscribed: true })).toEqual([]);
});

// shows: 4.3.4, 4.3.8, 5.7, 7.9
test('administrators can list all streams, private ones too, whatever the other sources; others cannot', async () => {
  const [ada, amy, moe] = [
    await chat.user('ada'),
    await chat.user('amy', { role: 'admin' }),
    await chat.user('moe', { role: 'moderator' }),
  ];
  const { ours } = await fourStreams(ada);
  expect(ours(await namesFor(amy))).not.toContain('secret');
  expect(ours(await namesFor(amy, { ...none, include_all_active: true }))).toEqual(['open', 'other', 'secret', 'web']);
  await expectError('BAD_REQUEST', moe.api.getStreams({ include_all_active: true }), /include_all_active/);
});

// shows: 2.1, 2.3, 2.5, 2.15, 4.3.7
test('a stream has exactly the documented fields', async () => {
  const ada = await chat.user('ada');
  const subscriptions = [{ name: 'fields', description: 'Soup, *hot*.' }];
  await ada.api.subscribe({
    subscriptions,
    invite_only: true,
    history_public_to_subscribers: true,
    stream_post_policy: 2,
  });
  const stream = (await ada.api.getStreams({})).streams.find(({ name }) => name === 'fields');
  expect(stream).toEqual({
    stream_id: expect.any(Number),
    name: 'fields',
    description: 'Soup, *hot*.',
    rendered_description: '<p>Soup, <em>hot</em>.</p>',
    date_created: expect.closeTo(chat.clock().getTime() / 1000, -2),
    first_message_id: expect.any(Number),
    invite_only: true,
    is_web_public: false,
    is_default: false,
    history_public_to_subscribers: true,
    is_announcement_only: true,
    stream_post_policy: 2,
    message_retention_days: null,
    can_remove_subscribers_group: expect.any(Number),
    stream_weekly_traffic: null,
  });
  expect(await ada.api.getStream({ stream_id: stream?.stream_id ?? 0 })).toEqual({ stream });
});

test('a stream without a description has an empty rendered one', async () => {
  const ada = await chat.user('ada');
  const stream_id = await chat.stream('speechless', { by: ada });
  expect((await ada.api.getStream({ stream_id })).stream).toMatchObject({ description: '', rendered_description: '' });
});

test('a private stream is reported as unknown to other users', async () => {
  const [ada, ben, gus] = [...(await chat.users('ada', 'ben')), await chat.user('gus', { role: 'guest' })];
  const { ids } = await fourStreams(ada);
  const missing = await expectError('BAD_REQUEST', ben.api.getStream({ stream_id: 999_999 }), /999999/);
  for (const stream_id of [ids.secret, ids.open]) {
    const outsider = stream_id === ids.secret ? ben : gus;
    for (const call of [outsider.api.getStream, outsider.api.getStreamMembers]) {
      const errorResponse = await expectError('BAD_REQUEST', call({ stream_id }));
      expect(errorResponse).toEqual({ ...missing, msg: missing.msg.replace('999999', String(stream_id)) });
    }
  }
});

test('an administrator sees a private stream and its subscribers, a guest a web-public stream', async () => {
  const [ada, amy, gus] = [
    await chat.user('ada'),
    await chat.user('amy', { role: 'admin' }),
    await chat.user('gus', { role: 'guest' }),
  ];
  const { ids, names } = await fourStreams(ada);
  expect((await amy.api.getStream({ stream_id: ids.secret })).stream.name).toBe(names.secret);
  expect((await amy.api.getStreamMembers({ stream_id: ids.secret })).subscribers).toEqual([ada.id]);
  expect((await gus.api.getStream({ stream_id: ids.web })).stream.is_web_public).toBe(true);
});

test('the subscribers of a stream are its active users and bots, by id', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const robo = await chat.user('robo', { bot_of: ada });
  const stream_id = await chat.stream('crowd', { by: cleo, members: [robo, ben, ada] });
  expect((await ada.api.getStreamMembers({ stream_id })).subscribers).toEqual([ada.id, ben.id, cleo.id, robo.id]);
  await cleo.api.unsubscribe({ subscriptions: ['crowd'] });
  expect((await cleo.api.getStreamMembers({ stream_id })).subscribers).toEqual([ada.id, ben.id, robo.id]);
});

// shows: 2.18
test('a stream of a week or more has a weekly traffic, counted over the last four weeks', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const stream_id = await chat.stream('busy', { by: ada });
  const traffic = async () => (await ada.api.getStream({ stream_id })).stream.stream_weekly_traffic;
  expect(await traffic()).toBeNull();
  chat.clock.advance({ days: 14 });
  for (let n = 0; n < 9; n++) await chat.message({ from: ada, to: 'busy' });
  // Ten messages in two weeks, the notice of the creation among them.
  expect(await traffic()).toBe(5);
  chat.clock.advance({ days: 27 });
  expect(await traffic()).toBe(2);
  chat.clock.advance({ days: 2 });
  expect(await traffic()).toBe(0);
});
