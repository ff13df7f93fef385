import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ web_public_streams_enabled: true });
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
type Settings = Omit<Parameters<TestUser['api']['subscribe']>[0], 'subscriptions'>;

async function create(by: TestUser, settings: Settings = {}, description?: string) {
  const name = fresh('made');
  await by.api.subscribe({ subscriptions: [{ name, ...(description !== undefined && { description }) }], ...settings });
  const { streams } = await by.api.getStreams({});
  return streams.find((stream) => stream.name === name);
}
const trying = (by: TestUser, settings: Settings) =>
  by.api.subscribe({ subscriptions: [{ name: fresh('never') }], ...settings });

// shows: 2.7, 3.9, 4.1.8, 4.1.14
test('a new stream is public, with posting for all and shared history, unless the request says otherwise', async () => {
  const ada = await chat.user('ada');
  const groups = (await chat.owner.api.getUserGroups({})).user_groups;
  const idOf = (name: string) => groups.find((group) => group.name === name)?.id;
  expect(await create(ada)).toMatchObject({
    invite_only: false,
    is_web_public: false,
    is_default: false,
    history_public_to_subscribers: true,
    stream_post_policy: 1,
    message_retention_days: null,
    can_remove_subscribers_group: idOf('role:administrators'),
  });
  const group = idOf('role:moderators') ?? 0;
  expect(
    await create(ada, { invite_only: true, stream_post_policy: 4, can_remove_subscribers_group: group }),
  ).toMatchObject({
    invite_only: true,
    history_public_to_subscribers: false,
    stream_post_policy: 4,
    can_remove_subscribers_group: group,
  });
});

// shows: 2.10, 4.1.13
test('only a private stream can have protected history', async () => {
  const ada = await chat.user('ada');
  expect(await create(ada, { invite_only: true, history_public_to_subscribers: true })).toMatchObject({
    history_public_to_subscribers: true,
  });
  expect(await create(ada, { history_public_to_subscribers: false })).toMatchObject({
    history_public_to_subscribers: true,
  });
});

// shows: 2.4, 4.1.1
test('newlines of a description become spaces, and it is rendered', async () => {
  const ada = await chat.user('ada');
  expect(await create(ada, {}, 'Soup\nand **tea**')).toMatchObject({
    description: 'Soup and **tea**',
    rendered_description: '<p>Soup and <strong>tea</strong></p>',
  });
});

// shows: 4.1.2, 4.1.18
test('the names of existing streams are found ignoring case, and properties of a new stream are ignored for them', async () => {
  const ada = await chat.user('ada');
  const stream = await create(ada, {}, 'first');
  const again = { name: stream?.name.toUpperCase() ?? '', description: 'second' };
  await ada.api.subscribe({
    subscriptions: [again],
    invite_only: true,
    is_default_stream: true,
    message_retention_days: 3,
    can_remove_subscribers_group: 999,
  });
  expect((await ada.api.getStream({ stream_id: stream?.stream_id ?? 0 })).stream).toEqual(stream);
});

test('creating a stream needs the policy of its privacy; without it the whole request fails', async () => {
  const ada = await chat.user('ada');
  await chat.owner.api.updateRealm({ create_private_stream_policy: 4 });
  const subscriptions = [{ name: 'lobby' }, { name: fresh('never') }];
  await expectError(
    'BAD_REQUEST',
    ada.api.subscribe({ subscriptions, invite_only: true, authorization_errors_fatal: false }),
    /private/,
  );
  expect((await ada.api.getSubscriptions({})).subscriptions).toEqual([]);
  await create(ada);
  await ada.api.subscribe({ subscriptions: [{ name: 'lobby' }], invite_only: true });
  await chat.owner.api.updateRealm({ create_private_stream_policy: 1, create_public_stream_policy: 2 });
  await expectError('BAD_REQUEST', trying(ada, {}), /public/);
  await chat.owner.api.updateRealm({ create_public_stream_policy: 1 });
});

// shows: 2.8, 4.1.10, 4.1.11
test('a web-public stream needs spectator access and its policy, and cannot be private', async () => {
  const [ada, owner] = [await chat.user('ada'), chat.owner];
  await expectError('BAD_REQUEST', trying(owner, { is_web_public: true }), /[Ww]eb-public/);
  await owner.api.updateRealm({ enable_spectator_access: true });
  await expectError('BAD_REQUEST', trying(ada, { is_web_public: true }), /web-public/);
  await expectError('BAD_REQUEST', trying(owner, { is_web_public: true, invite_only: true }), /private/);
  expect(await create(owner, { is_web_public: true, history_public_to_subscribers: false })).toMatchObject({
    is_web_public: true,
    history_public_to_subscribers: true,
  });
});

// shows: 4.1.9
test('where the operator does not allow web-public streams, no user can create one', async () => {
  const closed = await startChat();
  await closed.owner.api.updateRealm({ enable_spectator_access: true });
  await expectError('BAD_REQUEST', trying(closed.owner, { is_web_public: true }), /server/);
  await closed.close();
});

// shows: 4.1.12
test('only administrators can create default streams, which cannot be private', async () => {
  const [ada, amy] = [await chat.user('ada'), await chat.user('amy', { role: 'admin' })];
  await expectError('BAD_REQUEST', trying(ada, { is_default_stream: true }), /default/);
  await expectError('BAD_REQUEST', trying(amy, { is_default_stream: true, invite_only: true }), /default/);
});

// shows: 4.1.15
test('only owners can set the retention of a new stream', async () => {
  const [ada, amy] = [await chat.user('ada'), await chat.user('amy', { role: 'admin' })];
  for (const days of [30, 'unlimited'] as const) {
    await expectError('UNAUTHORIZED_PRINCIPAL', trying(amy, { message_retention_days: days }), /owner/);
  }
  expect(await create(ada, { message_retention_days: 'realm_default' })).toMatchObject({
    message_retention_days: null,
  });
  expect(await create(chat.owner, { message_retention_days: 30 })).toMatchObject({ message_retention_days: 30 });
  expect(await create(chat.owner, { message_retention_days: 'unlimited' })).toMatchObject({
    message_retention_days: -1,
  });
});

// shows: 4.1.15
test('the retention is validated even when no stream is created', async () => {
  const body = (days: unknown) =>
    chat.owner.api.subscribe({ subscriptions: [{ name: 'lobby' }], message_retention_days: days as number });
  for (const days of [0, -1, 'forever']) {
    const errorResponse = await expectError('REQUEST_VARIABLE_INVALID', body(days), /message_retention_days/);
    expect(errorResponse).toMatchObject({ var_name: 'message_retention_days', bad_value: days });
  }
});

// shows: 2.17, 4.1.14, 4.1.16
test('an unknown post policy and an unknown group fail', async () => {
  const ada = await chat.user('ada');
  await expectError('BAD_REQUEST', trying(ada, { stream_post_policy: 5 as 4 }), /stream_post_policy/);
  const groups = (await ada.api.getUserGroups({})).user_groups;
  const forbidden = groups.filter(({ name }) => ['role:internet', 'role:owners'].includes(name)).map(({ id }) => id);
  for (const id of [999_999, ...forbidden]) {
    await expectError('BAD_REQUEST', trying(ada, { can_remove_subscribers_group: id }), /can_remove_subscribers_group/);
  }
  expect(forbidden).toHaveLength(2);
});

test('a new subscription has the given color, or the first unused one of the palette', async () => {
  const ada = await chat.user('ada');
  const names = [fresh('a'), fresh('b'), fresh('c')];
  await ada.api.subscribe({
    subscriptions: [{ name: names[0] ?? '', color: '#abc' }, { name: names[1] ?? '' }, { name: names[2] ?? '' }],
  });
  const { subscriptions } = await ada.api.getSubscriptions({});
  expect(subscriptions.map(({ name, color }) => [name, color])).toEqual([
    [names[0], '#abc'],
    [names[1], '#76ce90'],
    [names[2], '#fae589'],
  ]);
});

test('subscribing again restores the personal properties; the given color is ignored then', async () => {
  const ada = await chat.user('ada');
  const name = fresh('soup');
  await ada.api.subscribe({ subscriptions: [{ name, color: '#abc' }] });
  const [before] = (await ada.api.getSubscriptions({})).subscriptions;
  await ada.api.unsubscribe({ subscriptions: [name] });
  await ada.api.subscribe({ subscriptions: [{ name, color: '#def' }] });
  expect((await ada.api.getSubscriptions({})).subscriptions).toEqual([before]);
  expect(before).toMatchObject({ color: '#abc' });
});
