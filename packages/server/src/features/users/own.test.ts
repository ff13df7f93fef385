import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { changeRole, createUser, deactivateUser } from '../user-admin/index.ts';
import { findNotificationBot } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

// shows: 2.50, 2.51, 2.52, 2.55, 2.57, 4.20.1
test('users can fetch their own account, with these fields', async () => {
  const ada = await chat.user('ada', { role: 'admin' });
  expect(await ada.api.getOwnUser()).toEqual({
    user_id: ada.id,
    email: ada.email,
    delivery_email: ada.email,
    full_name: ada.full_name,
    avatar_url: `/avatar/${ada.id}`,
    avatar_version: 1,
    is_admin: true,
    is_owner: false,
    is_guest: false,
    is_billing_admin: false,
    is_bot: false,
    is_active: true,
    role: 200,
    timezone: '',
    date_joined: expect.stringMatching(/\+00:00$/),
    max_message_id: -1,
    profile_data: {},
  });
});

// shows: 2.54
test.each([
  ['owner', 100, { is_owner: true, is_admin: true, is_guest: false }],
  ['admin', 200, { is_owner: false, is_admin: true, is_guest: false }],
  ['moderator', 300, { is_owner: false, is_admin: false, is_guest: false }],
  ['member', 400, { is_owner: false, is_admin: false, is_guest: false }],
  ['guest', 600, { is_owner: false, is_admin: false, is_guest: true }],
] as const)('the role of %s is the number %i, and the flags agree', async (role, number, flags) => {
  const { api } = await chat.user('ada', { role });
  expect(await api.getOwnUser()).toMatchObject({ role: number, is_billing_admin: false, ...flags });
});

// shows: 2.57, 4.20.1
test('a bot has its type and owner, which can be null, and no profile', async () => {
  const ada = await chat.user('ada');
  const bot = await chat.user('bot', { bot_of: ada });
  const own = await bot.api.getOwnUser();
  expect(own).toMatchObject({ is_bot: true, bot_type: 1, bot_owner_id: ada.id });
  expect(own).not.toHaveProperty('profile_data');
  const row = await chat.act((ctx) =>
    createUser(ctx, { email: 'orphan@example.com', full_name: 'Orphan', role: 400, bot: { type: 1, owner_id: null } }),
  );
  const orphan = await chat.person(row, chat.realm, false);
  expect(await orphan.api.getOwnUser()).toMatchObject({ bot_type: 1, bot_owner_id: null });
});

// shows: 2.56, 9.19
test('max_message_id is the newest message that the user received, in a stream or directly', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('kitchen', { by: ada, members: [ben] });
  const inStream = await chat.message({ from: ada, to: 'kitchen' });
  expect(await ben.api.getOwnUser()).toMatchObject({ max_message_id: inStream });
  const direct = await chat.message({ from: ben, to: [ada] });
  expect(await ada.api.getOwnUser()).toMatchObject({ max_message_id: direct });
  await ben.api.unsubscribe({ subscriptions: ['kitchen'] });
  await chat.message({ from: ada, to: 'kitchen' });
  expect(await ben.api.getOwnUser()).toMatchObject({ max_message_id: direct });
});

test('a registration has the active users, the deactivated users, and the caller', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.act((ctx) => deactivateUser(ctx, ben.id));
  const state = await ada.api.registerQueue({ event_types: ['realm_user'] });
  expect(state.realm_users?.map(({ user_id }) => user_id)).toContain(ada.id);
  expect(state.realm_users?.map(({ user_id }) => user_id)).not.toContain(ben.id);
  expect(state.realm_non_active_users?.map(({ user_id }) => user_id)).toContain(ben.id);
  const bot = await chat.act((ctx) => findNotificationBot(ctx.db, ctx.realm.id));
  expect(state.cross_realm_bots).toMatchObject([
    { user_id: bot.id, full_name: 'Notification Bot', is_system_bot: true, is_bot: true },
  ]);
  expect(state).toMatchObject({
    user_id: ada.id,
    email: ada.email,
    delivery_email: ada.email,
    full_name: ada.full_name,
    avatar_url: `/avatar/${ada.id}`,
    is_admin: false,
    is_owner: false,
    is_moderator: false,
    is_guest: false,
    is_billing_admin: false,
  });
});

test('all users receive a new user, with every field', async () => {
  const ada = await chat.user('ada');
  await ada.takeEvents();
  const ben = await chat.user('ben', { role: 'guest' });
  const { user } = await ada.api.getUser({
    user_id: ben.id,
    client_gravatar: false,
    include_custom_profile_fields: true,
  });
  expect(await ada.takeEvents('realm_user')).toEqual([
    { id: expect.any(Number), type: 'realm_user', op: 'add', person: user },
  ]);
});

const may = async (person: { api: Chat['owner']['api'] }) => {
  const state = await person.api.registerQueue({ event_types: ['realm_user'] });
  return Object.entries(state).flatMap(([name, value]) => (name.startsWith('can_') && value ? [name] : []));
};

test("the permissions in a registration follow the user's role and the organization's policies", async () => {
  const { realm, owner } = await chat.otherRealm('policies');
  const [member, guest] = [await chat.user('ada', { realm }), await chat.user('gus', { realm, role: 'guest' })];
  const everything = [
    'can_create_streams',
    'can_create_public_streams',
    'can_create_private_streams',
    'can_subscribe_other_users',
    'can_invite_others_to_realm',
  ];
  expect(await may(member)).toEqual(everything);
  expect(await may(guest)).toEqual([]);
  await owner.api.updateRealm({
    create_public_stream_policy: 2,
    invite_to_stream_policy: 4,
    invite_to_realm_policy: 6,
  });
  expect(await may(member)).toEqual(['can_create_streams', 'can_create_private_streams']);
  await chat.act((ctx) => changeRole(ctx, member.id, 300), realm);
  expect(await may(member)).toEqual(['can_create_streams', 'can_create_private_streams', 'can_subscribe_other_users']);
  await chat.act((ctx) => changeRole(ctx, member.id, 200), realm);
  expect(await may(member)).toEqual(everything.slice(0, 4));
  expect(await may(owner)).toEqual(everything.slice(0, 4));
});

test('a policy for full members applies after the waiting period', async () => {
  const { realm, owner } = await chat.otherRealm('patience');
  const member = await chat.user('ada', { realm });
  await owner.api.updateRealm({
    create_public_stream_policy: 3,
    create_private_stream_policy: 3,
    waiting_period_threshold: 5,
  });
  expect(await may(member)).not.toContain('can_create_streams');
  await owner.api.updateRealm({ waiting_period_threshold: 0 });
  expect(await may(member)).toContain('can_create_streams');
});
