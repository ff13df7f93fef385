import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { deactivateUser } from '../user-admin/index.ts';
import { findNotificationBot, listActiveUsersByNames, listUsersByApiEmails } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const quiet = (name: string, options: Parameters<Chat['user']>[1] = {}) =>
  chat.user(name, { ...options, mirrored: false });
/** Written directly: there is no operation for it. */
const showEmailTo = (person: TestUser, visibility: number) =>
  chat.database.db.execute(sql`update users set email_address_visibility = ${visibility} where id = ${person.id}`);
const standIn = (person: TestUser) => `user${person.id}@${chat.realm.host}`;

// shows: 2.53
test('users are listed by id, with bots and deactivated users, without the Notification Bot', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const bot = await chat.user('bot', { bot_of: ada });
  await chat.act((ctx) => deactivateUser(ctx, ben.id));
  const { members } = await ada.api.getUsers();
  const ids = members.map(({ user_id }) => user_id);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
  expect(ids).toEqual(expect.arrayContaining([chat.owner.id, ada.id, ben.id, bot.id]));
  expect(members.find(({ user_id }) => user_id === ben.id)).toMatchObject({ is_active: false });
  expect(members.map(({ full_name }) => full_name)).not.toContain('Notification Bot');
});

test('a listed user has exactly these fields, a bot those of its owner too', async () => {
  const ada = await chat.user('ada', { role: 'moderator' });
  const bot = await chat.user('bot', { bot_of: ada });
  const { members } = await ada.api.getUsers();
  const find = (person: TestUser) => members.find(({ user_id }) => user_id === person.id);
  const common = {
    avatar_url: null,
    avatar_version: 1,
    is_admin: false,
    is_owner: false,
    is_guest: false,
    is_billing_admin: false,
    is_active: true,
  };
  expect(find(ada)).toEqual({
    ...common,
    user_id: ada.id,
    email: ada.email,
    delivery_email: ada.email,
    full_name: ada.full_name,
    role: 300,
    is_bot: false,
    timezone: '',
    date_joined: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/),
  });
  expect(find(bot)).toMatchObject({ ...common, role: 400, is_bot: true, bot_type: 1, bot_owner_id: ada.id });
});

test('the URL of a default avatar is null with client_gravatar, and profile fields are returned on request', async () => {
  const ada = await chat.user('ada');
  const bot = await chat.user('bot', { bot_of: ada });
  const options = { client_gravatar: false, include_custom_profile_fields: true };
  const { members } = await ada.api.getUsers(options);
  const find = (person: TestUser) => members.find(({ user_id }) => user_id === person.id);
  expect(find(ada)).toMatchObject({ avatar_url: `/avatar/${ada.id}`, profile_data: {} });
  expect(find(bot)).not.toHaveProperty('profile_data');
  expect((await ada.api.getUser({ user_id: ada.id, ...options })).user).toEqual(find(ada));
  expect((await ada.api.getUser({ user_id: ada.id })).user).toEqual({
    ...find(ada),
    avatar_url: null,
    profile_data: undefined,
  });
});

test('a user is found by id and by API email, in any case', async () => {
  const [ada, ben] = [await quiet('ada'), await quiet('ben')];
  const { user } = await ada.api.getUser({ user_id: ben.id });
  expect(user).toMatchObject({ user_id: ben.id, full_name: ben.full_name });
  expect((await ada.api.getUser({ user_id: ben.email.toUpperCase() })).user).toEqual(user);
  await showEmailTo(ben, 3);
  expect((await ada.api.getUser({ user_id: standIn(ben) })).user).toMatchObject({ user_id: ben.id });
});

test('the error names a user who does not exist, one of another organization, and the Notification Bot', async () => {
  const ada = await chat.user('ada');
  const other = await chat.otherRealm('elsewhere');
  const bot = await chat.act((ctx) => findNotificationBot(ctx.db, ctx.realm.id));
  for (const id of [
    9_007_199_254_740_991,
    other.owner.id,
    bot.id,
    'nobody@example.com',
    other.owner.email,
    bot.delivery_email,
  ]) {
    await expectError('BAD_REQUEST', ada.api.getUser({ user_id: id }), new RegExp(String(id)));
  }
});

test('a hidden address finds no user by its real value, nor a visible one by its replacement', async () => {
  const [ada, ben] = [await quiet('ada'), await quiet('ben')];
  await expectError('BAD_REQUEST', ada.api.getUser({ user_id: standIn(ben) }));
  await showEmailTo(ben, 4);
  await expectError('BAD_REQUEST', ada.api.getUser({ user_id: ben.email }));
});

// shows: 1.12
test('an address visible to members is replaced in `email` for all, and real in delivery_email for members and the user', async () => {
  const [ada, ben, gus] = [await quiet('ada'), await quiet('ben'), await quiet('gus', { role: 'guest' })];
  await showEmailTo(ben, 2);
  const seenBy = async (person: TestUser) => (await person.api.getUser({ user_id: ben.id })).user;
  expect(await seenBy(ada)).toMatchObject({ email: standIn(ben), delivery_email: ben.email });
  expect(await seenBy(gus)).toMatchObject({ email: standIn(ben), delivery_email: null });
  expect(await seenBy(ben)).toMatchObject({ email: standIn(ben), delivery_email: ben.email });
  await showEmailTo(gus, 4);
  expect(await gus.api.getOwnUser()).toMatchObject({ email: standIn(gus), delivery_email: gus.email });
});

test('users are found by API emails of both kinds in one statement, keyed as they were given', async () => {
  const [ada, ben] = [await quiet('ada'), await quiet('ben')];
  await showEmailTo(ben, 3);
  const addresses = [ada.email.toUpperCase(), standIn(ben), ben.email, 'nobody@example.com'];
  const statements = await chat.statements(() => chat.act((ctx) => listUsersByApiEmails(ctx, addresses)));
  expect(statements).toBe(1);
  const found = await chat.act((ctx) => listUsersByApiEmails(ctx, addresses));
  expect([...found].map(([email, { id }]) => [email, id])).toEqual([
    [ada.email.toUpperCase(), ada.id],
    [standIn(ben), ben.id],
  ]);
});

test('names find active users in any case, and all of those who share a name', async () => {
  const [ada, ben] = [await quiet('ada'), await quiet('ben')];
  const named = (names: string[]) => chat.act((ctx) => listActiveUsersByNames(ctx.db, ctx.realm.id, names));
  await chat.database.db.execute(sql`update users set full_name = 'Ada Twin' where id in (${ada.id}, ${ben.id})`);
  expect((await named(['ADA TWIN'])).map(({ id }) => id)).toEqual([ada.id, ben.id]);
  await chat.act((ctx) => deactivateUser(ctx, ben.id));
  expect(await named(['ada twin', 'Notification Bot'])).toEqual([{ id: ada.id, full_name: 'Ada Twin' }]);
  expect(await named([])).toEqual([]);
});
