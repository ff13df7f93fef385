// What wrong passwords of others can cost the owner of an account, and all users who log in.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { deleteOldLoginNetworks } from '../../src/features/auth/index.ts';
import { createUser } from '../../src/features/user-admin/index.ts';
import { createLimits, type Limits } from '../../src/http/limits/index.ts';
import { type Chat, PASSWORD, startChat } from '../chat.ts';

const GUESSES = 2;

let limits: Limits;
let chat: Chat;
beforeAll(async () => {
  const rules = JSON.stringify({ password: `1800:${GUESSES}` });
  limits = createLimits(readConfig({ PARLEY_RATE_LIMITS: rules }).rate_rules);
  chat = await startChat({ limits, trustProxy: 1 });
});
afterAll(async () => {
  await chat.close();
  limits.close();
});

let made = 0;
/** The address of an account that has a password. */
async function account(name: string): Promise<string> {
  const newUser = { email: `${name}.${made++}@example.com`, full_name: name, role: 400, password: PASSWORD };
  return (await chat.act((ctx) => createUser(ctx, newUser))).delivery_email;
}

async function logIn(from: string, username: string, password: string): Promise<string> {
  const response = await chat.fetch('/api/v1/fetch_api_key', {
    method: 'POST',
    headers: { 'X-Forwarded-For': from, 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return ((await response.json()) as { code?: string }).code ?? 'done';
}

/** As many wrong passwords as lock a network. */
async function guess(from: string, username: string): Promise<void> {
  for (let n = 0; n < GUESSES; n++) expect(await logIn(from, username, 'a guess')).toBe('AUTHENTICATION_FAILED');
}

test.each([
  ['IPv4', '198.51.100.7', '198.51.100.200:4711', '198.51.101.7'],
  ['IPv6', '2001:db8:7::1', '[2001:db8:7:0:9::2]:443', '2001:db8:7:1::1'],
])('wrong passwords lock the %s network that they came from, and no other', async (_, attacker, neighbour, owner) => {
  const ada = await account('ada');
  await guess(attacker, ada);
  expect(await logIn(neighbour, ada, PASSWORD)).toBe('RATE_LIMIT_HIT');
  expect(await logIn(owner, ada, PASSWORD)).toBe('done');
});

test('wrong passwords from many networks do not lock a network that the account has logged in from', async () => {
  const ada = await account('ada');
  expect(await logIn('203.0.113.1', ada, PASSWORD)).toBe('done');
  for (let n = 0; n < 10; n++) await guess(`10.1.${n}.1`, ada);
  expect(await logIn('10.2.0.1', ada, PASSWORD)).toBe('RATE_LIMIT_HIT');
  expect(await logIn('203.0.113.99', ada, PASSWORD)).toBe('done');
  expect(await logIn('10.1.0.1', ada, PASSWORD)).toBe('RATE_LIMIT_HIT');
});

test('a known network expires 90 days after the last login from it', async () => {
  const ada = await account('ada');
  await logIn('203.0.113.1', ada, PASSWORD);
  const inDays = (days: number) => new Date(chat.clock().getTime() + days * 24 * 3600 * 1000);
  for (let n = 0; n < 10; n++) await guess(`10.1.${n}.1`, ada);
  await deleteOldLoginNetworks(chat.database.db, inDays(89));
  expect(await logIn('203.0.113.1', ada, PASSWORD)).toBe('done');
  await deleteOldLoginNetworks(chat.database.db, inDays(91));
  expect(await logIn('203.0.113.1', ada, PASSWORD)).toBe('RATE_LIMIT_HIT');
});

test('a flood of logins with new names from one network delays itself, and fails beyond the limit of waiting ones', async () => {
  const ada = await account('ada');
  const codes: string[] = [];
  const flood = Array.from({ length: 250 }, async (_, n) => {
    codes.push(await logIn('10.3.0.1', `stranger${n}@example.com`, 'a guess'));
  });
  // So many logins wait that the server has begun to reject some.
  const isChecked = (code: string) => code === 'AUTHENTICATION_FAILED';
  while (codes.every(isChecked) && codes.length < flood.length) await new Promise(setImmediate);
  expect(await logIn('10.4.0.1', ada, PASSWORD)).toBe('done');
  // Without turns, all waiting logins of the flood would have been checked first.
  expect(flood.length - codes.length).toBeGreaterThan(50);
  await Promise.all(flood);
  expect(new Set(codes)).toEqual(new Set(['AUTHENTICATION_FAILED', 'SERVICE_UNAVAILABLE']));
});

test('an account that has logged in from the network of a flood before does not wait for it', async () => {
  const ada = await account('ada');
  expect(await logIn('10.5.0.1', ada, PASSWORD)).toBe('done');
  let answered = 0;
  const flood = Array.from({ length: 90 }, async (_, n) => {
    await logIn('10.5.0.2', `newcomer${n}@example.com`, 'a guess');
    answered++;
  });
  while (answered < 5) await new Promise(setImmediate);
  expect(await logIn('10.5.0.3', ada, PASSWORD)).toBe('done');
  expect(flood.length - answered).toBeGreaterThan(30);
  await Promise.all(flood);
});
