import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import { deactivateUser } from '../user-admin/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const named = (...names: string[]) => names.map((name) => ({ name }));

// shows: 3.9, 4.1.5, 4.1.17, 4.1.21
test('subscribing creates streams that do not exist and joins those that do', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [soup, tea] = [fresh('Soup'), fresh('Tea')];
  await chat.stream(soup, { by: ada });
  expect(await ben.api.subscribe({ subscriptions: named(tea, soup.toUpperCase()) })).toEqual({
    subscribed: { [ben.email]: [tea, soup] },
    already_subscribed: {},
  });
  expect(await ben.api.subscribe({ subscriptions: named(soup, soup.toLowerCase(), ` ${tea} `) })).toEqual({
    subscribed: {},
    already_subscribed: { [ben.email]: [soup, tea] },
  });
});

test('an empty list succeeds and changes nothing', async () => {
  const ada = await chat.user('ada');
  expect(await ada.api.subscribe({ subscriptions: [] })).toEqual({ subscribed: {}, already_subscribed: {} });
  expect(await ada.api.subscribe({ subscriptions: [], authorization_errors_fatal: false })).toEqual({
    subscribed: {},
    already_subscribed: {},
    unauthorized: [],
  });
});

// shows: 4.1.4, 4.1.20
test('others are subscribed by id or by API email in any case, and the caller only if listed', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const gus = await chat.user('gus', { role: 'guest' });
  const robo = await chat.user('robo', { bot_of: ada });
  const soup = fresh('soup');
  const stream_id = await chat.stream(soup, { by: chat.owner });
  const one = await ada.api.subscribe({ subscriptions: named(soup), principals: [ben.id, gus.id, robo.id, ben.id] });
  expect(one.subscribed).toEqual({ [ben.email]: [soup], [gus.email]: [soup], [robo.email]: [soup] });
  const two = await ada.api.subscribe({
    subscriptions: named(soup),
    principals: [cleo.email.toUpperCase(), ben.email],
  });
  expect(two).toEqual({ subscribed: { [cleo.email]: [soup] }, already_subscribed: { [ben.email]: [soup] } });
  expect((await ada.api.getStreamMembers({ stream_id })).subscribers).not.toContain(ada.id);
});

// shows: 4.1.24, 7.22, 9.5
test('an unknown or deactivated user fails with an error that names them, and no user is subscribed', async () => {
  const [ada, ben, dan] = await chat.users('ada', 'ben', 'dan');
  await chat.act((ctx) => deactivateUser(ctx, dan.id));
  const soup = fresh('soup');
  await expectError(
    'BAD_REQUEST',
    ada.api.subscribe({ subscriptions: named(soup), principals: [ben.id, dan.id] }),
    new RegExp(`${dan.id}.*deactivated`),
  );
  await expectError(
    'BAD_REQUEST',
    ada.api.subscribe({ subscriptions: named(soup), principals: [ben.id, 999_999] }),
    /999999/,
  );
  await expectError(
    'BAD_REQUEST',
    ada.api.subscribe({ subscriptions: named(soup), principals: ['no@example.com'] }),
    /no@example.com/,
  );
  expect((await ada.api.getStreams({})).streams.map(({ name }) => name)).not.toContain(soup);
});

test('a list of principals is all ids or all emails', async () => {
  const ada = await chat.user('ada');
  const mixed = [ada.id, ada.email] as unknown as number[];
  await expectError(
    'BAD_REQUEST',
    ada.api.subscribe({ subscriptions: named(fresh('soup')), principals: mixed }),
    /principals/,
  );
});

// shows: 4.1.19
test("subscribing others needs permission; no principals, or only the caller's id, need none", async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.owner.api.updateRealm({ invite_to_stream_policy: 2 });
  const subscriptions = named(fresh('soup'));
  await expectError('BAD_REQUEST', ada.api.subscribe({ subscriptions, principals: [ben.id] }), /permission/);
  await expectError('BAD_REQUEST', ada.api.subscribe({ subscriptions, principals: [ada.email] }), /permission/);
  await ada.api.subscribe({ subscriptions, principals: [ada.id] });
  await ada.api.subscribe({ subscriptions, principals: [] });
  await chat.owner.api.updateRealm({ invite_to_stream_policy: 1 });
});

test('guests cannot subscribe users, nor themselves', async () => {
  const gus = await chat.user('gus', { role: 'guest' });
  await expectError('BAD_REQUEST', gus.api.subscribe({ subscriptions: named('lobby') }), /[Gg]uest/);
  await expectError('BAD_REQUEST', gus.api.subscribe({} as never), /[Gg]uest/);
});

test.each([
  ['empty', '  ', /empty/],
  ['too long', 'x'.repeat(61), /60/],
  ['with a control character', 'a\u0001', /position 2/],
] as const)('a stream name that is %s fails', async (_case, name, msg) => {
  const ada = await chat.user('ada');
  await expectError('BAD_REQUEST', ada.api.subscribe({ subscriptions: named('lobby', name) }), msg);
  expect((await ada.api.getSubscriptions({})).subscriptions).toEqual([]);
});

// shows: 4.1.1 [no name]
test.each([
  ['an unknown field', { name: 'x', colour: '#fff' }],
  ['a color of seven digits', { name: 'x', color: '#1234567' }],
  ['a color without its sign', { name: 'x', color: 'abcdef' }],
  ['no name', { description: 'x' }],
  ['a description of 1025 characters', { name: 'x', description: 'd'.repeat(1025) }],
] as const)('an item with %s fails', async (_case, item) => {
  const ada = await chat.user('ada');
  await expectError('BAD_REQUEST', ada.api.subscribe({ subscriptions: [item as { name: string }] }), /subscriptions/);
});

test('the checks come in order: principals, names, permission to create, access', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const secret = fresh('secret');
  await chat.stream(secret, { by: ben, invite_only: true });
  const all = {
    subscriptions: named('x'.repeat(61), secret, fresh('new')),
    is_default_stream: true,
    principals: [999_999],
  };
  await expectError('BAD_REQUEST', ada.api.subscribe(all), /999999/);
  await expectError('BAD_REQUEST', ada.api.subscribe({ ...all, principals: [ben.id] }), /60/);
  const named2 = { ...all, principals: [ben.id], subscriptions: named(secret, fresh('new')) };
  await expectError('BAD_REQUEST', ada.api.subscribe(named2), /default/);
  await expectError('BAD_REQUEST', ada.api.subscribe({ ...named2, is_default_stream: false }), new RegExp(secret));
});

// shows: 4.1.6, 4.1.22, 4.1.23, 7.8
test('a private stream without access fails the request by name, unless authorization_errors_fatal is false', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [secret, open] = [fresh('Secret'), fresh('Open')];
  await chat.stream(secret, { by: ada, invite_only: true });
  const subscriptions = named(open, secret);
  for (const fatal of [{}, { authorization_errors_fatal: true }])
    await expectError('BAD_REQUEST', ben.api.subscribe({ subscriptions, ...fatal }), new RegExp(secret));
  expect((await ben.api.getSubscriptions({})).subscriptions).toEqual([]);
  const answer = await ben.api.subscribe({ subscriptions, authorization_errors_fatal: false });
  expect(answer).toEqual({ subscribed: { [ben.email]: [open] }, already_subscribed: {}, unauthorized: [secret] });
  expect(await ben.api.subscribe({ subscriptions: named(open) })).not.toHaveProperty('unauthorized');
});

// shows: 4.1.3
test('without subscriptions, or with anything but a list of them, the request fails with an error that names them', async () => {
  const ada = await chat.user('ada');
  const subscribe = (params: object) => ada.api.subscribe(params as never);
  await expectError('REQUEST_VARIABLE_MISSING', subscribe({ announce: true }), /subscriptions/);
  for (const subscriptions of ['soup', 7, ['soup'], { name: 'soup' }])
    await expectError('BAD_REQUEST', subscribe({ subscriptions }), /subscriptions/);
  expect((await ada.api.getSubscriptions({})).subscriptions).toEqual([]);
});

// shows: 4.1.19, 4.1.23
test('only subscribers of an existing private stream can subscribe users to it, administrators included', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const amy = await chat.user('amy', { role: 'admin' });
  const [one, two, open] = [fresh('One'), fresh('Two'), fresh('Open')];
  for (const name of [one, two]) await chat.stream(name, { by: ada, invite_only: true });
  for (const person of [ben, amy]) {
    await expectError('BAD_REQUEST', person.api.subscribe({ subscriptions: named(open, two, one) }), new RegExp(two));
  }
  const answer = await ben.api.subscribe({
    subscriptions: named(open, two.toLowerCase(), one),
    authorization_errors_fatal: false,
  });
  expect(answer).toEqual({ subscribed: { [ben.email]: [open] }, already_subscribed: {}, unauthorized: [two, one] });
  await ada.api.subscribe({ subscriptions: named(one), principals: [ben.id] });
  expect((await ben.api.subscribe({ subscriptions: named(one), principals: [cleo.id] })).subscribed).toEqual({
    [cleo.email]: [one],
  });
  const all = await ben.api.subscribe({ subscriptions: named(open), authorization_errors_fatal: false });
  expect(all.unauthorized).toEqual([]);
});
