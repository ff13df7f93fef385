import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, PASSWORD, startChat } from '../../../test/chat.ts';
import { readConfig } from '../../config/index.ts';
import { createLimits, type Limits } from '../../http/limits/index.ts';
import { deactivateRealm, reactivateRealm } from '../realm-admin/index.ts';
import { createUser, deactivateUser } from '../user-admin/index.ts';

let chat: Chat;
let limits: Limits;
beforeAll(async () => {
  limits = createLimits(readConfig({}).rate_rules);
  chat = await startChat({ limits });
});
afterAll(async () => {
  await chat.close();
  limits.close();
});

let made = 0;
/** A user with a password. */
async function withPassword(name: string, realm = chat.realm) {
  const newUser = { email: `${name}.${made++}@Example.com`, full_name: `${name} Login`, role: 400, password: PASSWORD };
  const row = await chat.act((ctx) => createUser(ctx, newUser), realm);
  return chat.person(row, realm, false);
}

const fetchKey = (username: string, password: string, realm = chat.realm) =>
  chat.apiOf(realm).fetchApiKey({ username, password });
const startOtherChat = async () => chat.otherRealm(`login${made++}`);

// shows: 4.12.1, 4.12.3, 4.12.4, 5.3
test('email and password return the key, the real address and the id, whatever the case of the address', async () => {
  const ada = await withPassword('ada');
  const expected = { api_key: ada.apiKey, email: ada.email, user_id: ada.id };
  expect(await fetchKey(ada.email, PASSWORD)).toEqual(expected);
  expect(await fetchKey(` ${ada.email.toUpperCase()} `, PASSWORD)).toEqual(expected);
});

// shows: 4.12.1, 5.3
test('an Authorization header is ignored, even with invalid credentials', async () => {
  const ada = await withPassword('ada');
  const answer = await chat.fetch('/api/v1/fetch_api_key', {
    method: 'POST',
    headers: { Authorization: 'Basic bm9ib2R5OndybZuZw==', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ username: ada.email, password: PASSWORD }).toString(),
  });
  expect(await answer.json()).toMatchObject({ result: 'success', user_id: ada.id });
});

test('a wrong password and an unknown user fail with the same response', async () => {
  const ada = await withPassword('ada');
  const wrong = await expectError('AUTHENTICATION_FAILED', fetchKey(ada.email, 'not the password'));
  expect(await expectError('AUTHENTICATION_FAILED', fetchKey('nobody@example.com', PASSWORD))).toEqual(wrong);
  const elsewhere = await startOtherChat();
  await expectError('AUTHENTICATION_FAILED', fetchKey(ada.email, PASSWORD, elsewhere.realm));
});

test('a 401 response has a WWW-Authenticate header', async () => {
  const answer = await chat.fetch('/api/v1/fetch_api_key', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'stranger@example.com', password: 'guess' }),
  });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe('Basic realm="parley"');
});

test('bots, the Notification Bot and users without a password cannot log in', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const bot = await chat.user('bot', { bot_of: ada, mirrored: false });
  for (const username of [ada.email, bot.email, `notification-bot@${chat.realm.host}`]) {
    await expectError('AUTHENTICATION_FAILED', fetchKey(username, ''));
    await expectError('AUTHENTICATION_FAILED', fetchKey(username, PASSWORD));
  }
});

// shows: 4.12.2
test('the error names a missing parameter', async () => {
  const api = chat.apiOf(chat.realm);
  const errorResponse = await expectError(
    'REQUEST_VARIABLE_MISSING',
    api.fetchApiKey({ username: 'ada@example.com' } as never),
  );
  expect(errorResponse.var_name).toBe('password');
});

// shows: 4.12.3
test('a user name that is no address fails, unless the organization uses directory names', async () => {
  const { realm, owner } = await startOtherChat();
  await expectError('BAD_REQUEST', fetchKey('ada', PASSWORD, realm), /username/);
  await owner.api.updateRealm({ authentication_methods: { LDAP: true } });
  await expectError('AUTHENTICATION_FAILED', fetchKey('ada', PASSWORD, realm));
});

test('login to a deactivated account fails with USER_DEACTIVATED, for any password and without password login too', async () => {
  const { realm, owner } = await startOtherChat();
  const ada = await withPassword('ada', realm);
  await chat.act((ctx) => deactivateUser(ctx, ada.id), realm);
  await expectError('USER_DEACTIVATED', fetchKey(ada.email, 'not the password', realm));
  await owner.api.updateRealm({ authentication_methods: { Email: false } });
  await expectError('USER_DEACTIVATED', fetchKey(ada.email, PASSWORD, realm));
});

// shows: 4.12.5
test('where password login is disabled, right and wrong passwords fail alike', async () => {
  const { realm, owner } = await startOtherChat();
  const ada = await withPassword('ada', realm);
  await owner.api.updateRealm({ authentication_methods: { Email: false } });
  for (const [username, password] of [
    [ada.email, PASSWORD],
    [ada.email, 'wrong'],
    ['nobody@example.com', 'x'],
  ] as const) {
    await expectError('PASSWORD_AUTH_DISABLED', fetchKey(username, password, realm));
  }
});

test('in a deactivated organization no login succeeds', async () => {
  const { realm } = await startOtherChat();
  const ada = await withPassword('ada', realm);
  await chat.act(deactivateRealm, realm);
  await expectError('REALM_DEACTIVATED', fetchKey(ada.email, PASSWORD, realm));
  await expectError('REALM_DEACTIVATED', fetchKey('no address', 'x', realm));
  await expectError('REALM_DEACTIVATED', chat.apiOf(realm).fetchApiKey({} as never));
  await chat.act(reactivateRealm, realm);
  expect(await fetchKey(ada.email, PASSWORD, realm)).toMatchObject({ user_id: ada.id });
});

test('at a host without an organization login fails', async () => {
  const nowhere = { ...chat.realm, host: 'nowhere.localhost' };
  await expectError('NONEXISTENT_SUBDOMAIN', fetchKey('ada@example.com', PASSWORD, nowhere));
});

test('five wrong passwords lock the user name for a while, for the right password too', async () => {
  const [ada, ben] = [await withPassword('ada'), await withPassword('ben')];
  for (let n = 0; n < 5; n++)
    await expectError('AUTHENTICATION_FAILED', fetchKey(n % 2 ? ada.email : ada.email.toUpperCase(), 'wrong'));
  const errorResponse = await expectError('RATE_LIMIT_HIT', fetchKey(ada.email, PASSWORD));
  expect(errorResponse['retry-after']).toBeGreaterThan(1700);
  expect(errorResponse['retry-after']).toBeLessThanOrEqual(1800);
  expect(await fetchKey(ben.email, PASSWORD)).toMatchObject({ user_id: ben.id });
});

test('concurrent attempts are counted like successive ones', async () => {
  const ada = await withPassword('ada');
  const guesses = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => fetchKey(ada.email, `guess ${n}`)));
  const codes = guesses.map((guess) => (guess.status === 'rejected' ? guess.reason.code : 'in'));
  expect(codes.sort()).toEqual([...Array(5).fill('AUTHENTICATION_FAILED'), ...Array(7).fill('RATE_LIMIT_HIT')]);
});

test('a right password resets the count of wrong ones', async () => {
  const ada = await withPassword('ada');
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 4; n++) await expectError('AUTHENTICATION_FAILED', fetchKey(ada.email, 'wrong'));
    expect(await fetchKey(ada.email, PASSWORD)).toMatchObject({ user_id: ada.id });
  }
});

test('the attempt limit is checked before anything about the account', async () => {
  const ada = await withPassword('ada');
  for (let n = 0; n < 5; n++) await expectError('AUTHENTICATION_FAILED', fetchKey(ada.email, 'wrong'));
  await chat.act((ctx) => deactivateUser(ctx, ada.id));
  await expectError('RATE_LIMIT_HIT', fetchKey(ada.email, PASSWORD));
});

test('an unknown user costs as much time to reject as a wrong password', async () => {
  const ada = await withPassword('ada');
  /** CPU time of all threads of this process: the load of the machine makes no difference. */
  const work = async (username: string) => {
    const before = process.cpuUsage();
    await expectError('AUTHENTICATION_FAILED', fetchKey(username, 'not the password'));
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const known: number[] = [];
  const unknown: number[] = [];
  for (let n = 0; n < 4; n++) {
    known.push(await work(ada.email));
    unknown.push(await work(`stranger${made++}@example.com`));
  }
  // A response without hashing takes a small part of this time.
  expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 2);
});
