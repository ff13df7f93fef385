import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, PASSWORD, startChat, type TestUser } from '../../../test/chat.ts';
import { deactivateUser, updateCanCreateUsers } from './index.ts';

let chat: Chat;
let iago: TestUser;
beforeAll(async () => {
  chat = await startChat();
  iago = await maker();
});
afterAll(() => chat.close());

let made = 0;
const createParams = (more: object = {}) => ({
  email: `new${made++}@example.org`,
  password: PASSWORD,
  full_name: 'Nora New',
  ...more,
});

/** An administrator who can create accounts. Without a mirror, so that the same account serves every test. */
async function maker(): Promise<TestUser> {
  const person = await chat.user('iago', { role: 'admin', mirrored: false });
  await chat.act((ctx) => updateCanCreateUsers(ctx, person.id, true));
  return person;
}

const create = (more: object = {}, by = iago) => by.api.createUser(createParams(more));

// shows: 4.14.1, 4.14.3
test('an administrator with can_create_users creates a member, who logs in with the email and the password', async () => {
  const params = createParams({ full_name: '  Nora New  ' });
  const { user_id } = await iago.api.createUser(params);
  expect((await iago.api.getUser({ user_id })).user).toMatchObject({
    full_name: 'Nora New',
    email: params.email,
    role: 400,
    is_active: true,
    is_bot: false,
  });
  const login = await chat.apiOf(chat.realm).fetchApiKey({ username: params.email, password: PASSWORD });
  expect(login).toMatchObject({ user_id, email: params.email });
});

test("all users receive events about the new user, the user's groups and default streams", async () => {
  const ada = await chat.user('ada');
  const stream_id = await chat.stream('welcome', { by: chat.owner, is_default_stream: true });
  await ada.takeEvents();
  const { user_id } = await create();
  const heard = await ada.takeEvents('realm_user', 'user_group', 'subscription');
  expect(heard.map(({ type, op }) => `${type} ${op}`)).toEqual([
    'realm_user add',
    'user_group add_members',
    'user_group add_members',
    'subscription peer_add',
  ]);
  expect(heard[0]).toMatchObject({ person: { user_id, role: 400 } });
  expect(heard[3]).toMatchObject({ stream_ids: [stream_id], user_ids: [user_id] });
});

test('the Notification Bot announces the new user in the stream that the organization chose for it', async () => {
  const ada = await chat.user('ada');
  const signup_notifications_stream_id = await chat.stream('newcomers', { by: ada });
  await chat.owner.api.updateRealm({ signup_notifications_stream_id });
  await ada.takeEvents();
  const { user_id } = await create();
  const [event] = await ada.takeEvents('message');
  expect(event?.message).toMatchObject({ subject: 'signups', sender_full_name: 'Notification Bot', type: 'stream' });
  expect(event?.message.content).toContain(`data-user-id="${user_id}"`);
  await chat.owner.api.archiveStream({ stream_id: signup_notifications_stream_id });
  await create();
  await chat.owner.api.updateRealm({ signup_notifications_stream_id: -1 });
});

// shows: 4.14.1, 5.5
test('without the role or the permission the request fails, even when parameters are missing', async () => {
  const admin = await chat.user('amy', { role: 'admin' });
  const member = await chat.user('mia');
  await chat.act((ctx) => updateCanCreateUsers(ctx, member.id, true));
  for (const params of [createParams(), {}]) {
    await expectError('UNAUTHORIZED_PRINCIPAL', member.api.createUser(params as never), /administrator/);
    await expectError('BAD_REQUEST', admin.api.createUser(params as never), /can_create_users/);
    await expectError('BAD_REQUEST', chat.owner.api.createUser(params as never), /can_create_users/);
  }
});

// shows: 4.14.2
test('the error names a missing parameter', async () => {
  for (const name of ['email', 'password', 'full_name'] as const) {
    const { [name]: _, ...rest } = createParams();
    const errorResponse = await expectError('REQUEST_VARIABLE_MISSING', iago.api.createUser(rest as never));
    expect(errorResponse.var_name).toBe(name);
  }
});

test('values are checked in order: name, address, domain, address in use, password', async () => {
  const bad = { full_name: 'N*', email: 'nora', password: '123' };
  await expectError('BAD_REQUEST', create(bad), /full_name/);
  await expectError('BAD_REQUEST', create({ ...bad, full_name: 'Nora New' }), /email.*not an email/);
  await expectError('BAD_REQUEST', create({ email: 'nora@mailinator.com', password: '123' }), /throw-away/);
  await expectError('BAD_REQUEST', create({ email: iago.email, password: '123' }), /in use/);
  await expectError('BAD_REQUEST', create({ password: '123' }), /password/);
});

// shows: 4.14.4, 7.6
test('an address in use fails in any case of its letters, and when its account is deactivated', async () => {
  const ben = await chat.user('ben', { mirrored: false });
  await expectError('BAD_REQUEST', create({ email: ben.email.toUpperCase() }), /in use/);
  await chat.act((ctx) => deactivateUser(ctx, ben.id));
  await expectError('BAD_REQUEST', create({ email: ben.email }), /in use/);
});

// shows: 4.14.4
test('an address in use in another organization can be used in this one', async () => {
  const { owner } = await chat.otherRealm('elsewhere');
  await create({ email: owner.email });
});

test('addresses of disposable mail domains and their subdomains fail, unless the organization allows them', async () => {
  for (const email of ['nora@mailinator.com', 'nora@MAILINATOR.com', 'nora@post.mailinator.com'])
    await expectError('BAD_REQUEST', create({ email }), /throw-away/);
  await create({ email: 'nora@notmailinator-at-all.com' });
  await chat.owner.api.updateRealm({ disallow_disposable_email_addresses: false });
  await create({ email: 'nora@mailinator.com' });
  await chat.owner.api.updateRealm({ disallow_disposable_email_addresses: true });
});

test('where only known domains can join, addresses with a plus and addresses of unknown domains fail', async () => {
  await chat.owner.api.updateRealm({ emails_restricted_to_domains: true });
  await expectError('BAD_REQUEST', create({ email: 'nora+x@example.org' }), /"\+"/);
  await expectError('BAD_REQUEST', create({ email: 'nora@example.org' }), /example\.org/);
  await chat.owner.api.updateRealm({ emails_restricted_to_domains: false });
  await create({ email: 'nora+x@example.org' });
});

test('of two concurrent requests to create an account with one address, one succeeds and one fails', async () => {
  const other = await maker();
  for (let round = 0; round < 5; round++) {
    const email = `twin${made++}@example.org`;
    const ends = await Promise.allSettled([create({ email }), create({ email: email.toUpperCase() }, other)]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { members } = await iago.api.getUsers();
    expect(members.filter((one) => one.email.toLowerCase() === email)).toHaveLength(1);
  }
});

test('a request that fails creates no account and emits no event', async () => {
  const ada = await chat.user('ada');
  await ada.takeEvents();
  const before = (await ada.api.getUsers()).members.length;
  await expectError('BAD_REQUEST', create({ password: 'password' }), /password/);
  expect((await ada.api.getUsers()).members).toHaveLength(before);
  expect(await ada.takeEvents()).toEqual([]);
});
