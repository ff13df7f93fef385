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
/** Somebody who can log in. */
async function withPassword(name: string, realm = chat.realm) {
  const wanted = { email: `${name}.${made++}@Example.com`, full_name: `${name} Login`, role: 400, password: PASSWORD };
  const row = await chat.act((ctx) => createUser(ctx, wanted), realm);
  return chat.person(row, realm, false);
}

const fetchKey = (username: string, password: string, realm = chat.realm) =>
  chat.apiOf(realm).fetchApiKey({ username, password });
const startOtherChat = async () => chat.otherRealm(`login${made++}`);

// shows: 4.12.1, 4.12.3, 4.12.4, 5.3
test('email and password give the key, the real address and the id, whatever the case of the address', async () => {
  const ada = await withPassword('ada');
  const expected = { api_key: ada.apiKey, email: ada.email, user_id: ada.id };
  expect(await fetchKey(ada.email, PASSWORD)).toEqual(expected);
  expect(await fetchKey(` ${ada.email.toUpperCase()} `, PASSWORD)).toEqual(expected);
});

// shows: 4.12.1, 5.3
test('an Authorization header is ignored, even a wrong one', async () => {
  const ada = await withPassword('ada');
  const answer = await chat.fetch('/api/v1/fetch_api_key', {
    method: 'POST',
    headers: { Authorization: 'Basic bm9ib2R5OndybZuZw==', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ username: ada.email, password: PASSWORD }).toString(),
  });
  expect(await answer.json()).toMatchObject({ result: 'success', user_id: ada.id });
});

test('a wrong password and an unknown person are refused in the same words', async () => {
  const ada = await withPassword('ada');
  const wrong = await expectError('AUTHENTICATION_FAILED', fetchKey(ada.email, 'not the password'));
  expect(await expectError('AUTHENTICATION_FAILED', fetchKey('nobody@example.com', PASSWORD))).toEqual(wrong);
  const elsewhere = await startOtherChat();
  await expectError('AUTHENTICATION_FAILED', fetchKey(ada.email, PASSWORD, elsewhere.realm));
});

test('a 401 says how to log in', async () => {
  const answer = await chat.fetch('/api/v1/fetch_api_key', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'stranger@example.com', password: 'guess' }),
  });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toBe('Basic realm="parley"');
});

test('bots, the notification bot and people without a password cannot log in', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const bot = await chat.user('bot', { bot_of: ada, mirrored: false });
  for (const username of [ada.email, bot.email, `notification-bot@${chat.realm.host}`]) {
    await expectError('AUTHENTICATION_FAILED', fetchKey(username, ''));
    await expectError('AUTHENTICATION_FAILED', fetchKey(username, PASSWORD));
  }
});

// shows: 4.12.2
test('a missing parameter is named', async () => {
  const api = chat.apiOf(chat.realm);
  const errorResponse = await expectError(
    'REQUEST_VARIABLE_MISSING',
    api.fetchApiKey({ username: 'ada@example.com' } as never),
  );
  expect(errorResponse.var_name).toBe('password');
});

// shows: 4.12.3
test('a user name that is no address is refused, unless people log in with directory names', async () => {
  const { realm, owner } = await startOtherChat();
  await expectError('BAD_REQUEST', fetchKey('ada', PASSWORD, realm), /username/);
  await owner.api.updateRealm({ authentication_methods: { LDAP: true } });
  await expectError('AUTHENTICATION_FAILED', fetchKey('ada', PASSWORD, realm));
});

test('a deactivated account is told so whatever the password, and whether or not passwords are in use', async () => {
  const { realm, owner } = await startOtherChat();
  const ada = await withPassword('ada', realm);
  await chat.act((ctx) => deactivateUser(ctx, ada.id), realm);
  await expectError('USER_DEACTIVATED', fetchKey(ada.email, 'not the password', realm));
  await owner.api.updateRealm({ authentication_methods: { Email: false } });
  await expectError('USER_DEACTIVATED', fetchKey(ada.email, PASSWORD, realm));
});

// shows: 4.12.5
test('where passwords are not in use, nobody logs in with one, right or wrong', async () => {
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

test('in a deactivated organization nobody logs in', async () => {
  const { realm } = await startOtherChat();
  const ada = await withPassword('ada', realm);
  await chat.act(deactivateRealm, realm);
  await expectError('REALM_DEACTIVATED', fetchKey(ada.email, PASSWORD, realm));
  await expectError('REALM_DEACTIVATED', fetchKey('no address', 'x', realm));
  await expectError('REALM_DEACTIVATED', chat.apiOf(realm).fetchApiKey({} as never));
  await chat.act(reactivateRealm, realm);
  expect(await fetchKey(ada.email, PASSWORD, realm)).toMatchObject({ user_id: ada.id });
});

test('where there is no organization there is nothing to log in to', async () => {
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

test('guesses sent all at once are counted like guesses sent in a row', async () => {
  const ada = await withPassword('ada');
  const guesses = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => fetchKey(ada.email, `guess ${n}`)));
  const codes = guesses.map((guess) => (guess.status === 'rejected' ? guess.reason.code : 'in'));
  expect(codes.sort()).toEqual([...Array(5).fill('AUTHENTICATION_FAILED'), ...Array(7).fill('RATE_LIMIT_HIT')]);
});

test('a right password clears the wrong ones before it', async () => {
  const ada = await withPassword('ada');
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 4; n++) await expectError('AUTHENTICATION_FAILED', fetchKey(ada.email, 'wrong'));
    expect(await fetchKey(ada.email, PASSWORD)).toMatchObject({ user_id: ada.id });
  }
});

test('the attempt limit comes before everything that is known of the account', async () => {
  const ada = await withPassword('ada');
  for (let n = 0; n < 5; n++) await expectError('AUTHENTICATION_FAILED', fetchKey(ada.email, 'wrong'));
  await chat.act((ctx) => deactivateUser(ctx, ada.id));
  await expectError('RATE_LIMIT_HIT', fetchKey(ada.email, PASSWORD));
});

test('an unknown person is as much work to refuse as a wrong password', async () => {
  const ada = await withPassword('ada');
  /** Of all threads of this process: what else the machine does makes no difference. */
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
  // A refusal without a hash is a small part of this work.
  expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 2);
});
