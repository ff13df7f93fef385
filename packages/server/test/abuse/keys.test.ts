// What requests of others behind the same address, and clients over their limit, can cost.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { createLimits, type Limits } from '../../src/http/limits/index.ts';
import { type Chat, startChat } from '../chat.ts';

const LIMIT = 5;
const RULES = { account: '60:20', events: 'off', ip: `60:${LIMIT}` };

let limits: Limits;
let chat: Chat;
beforeAll(async () => {
  limits = createLimits(readConfig({ PARLEY_RATE_LIMITS: JSON.stringify(RULES) }).rate_rules);
  chat = await startChat({ requestLimits: limits, trustProxy: 1 });
});
afterAll(async () => {
  await chat.close();
  limits.close();
});

let made = 1;
/** An address that no other test uses. */
const newAddress = () => `192.0.2.${made++}`;
const basic = (email: string, key: string) => `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;

interface RequestOptions {
  from: string;
  path?: string;
  login?: string;
  host?: string;
}

async function request({ from, path = '/api/v1/users/me', login, host }: RequestOptions): Promise<Response> {
  return chat.fetch(
    path,
    { headers: { 'X-Forwarded-For': from, ...(login !== undefined && { Authorization: login }) } },
    host === undefined ? chat.realm : { ...chat.realm, host },
  );
}

async function codes(times: number, options: RequestOptions): Promise<string[]> {
  const found: string[] = [];
  for (let n = 0; n < times; n++) {
    const { code = 'done' } = (await (await request(options)).json()) as { code?: string };
    found.push(code);
  }
  return found;
}

const spentAfter = (code: string, times = LIMIT): string[] => [
  ...Array<string>(times).fill(code),
  'RATE_LIMIT_HIT',
  'RATE_LIMIT_HIT',
];

/** A new member and the header with the right key. */
async function member(name: string) {
  const person = await chat.user(name, { mirrored: false });
  return { ...person, login: basic(person.email, person.apiKey) };
}

test('the server never rejects the right key for requests of others behind the same address', async () => {
  const from = newAddress();
  const ada = await member('ada');
  const elsewhere = await chat.otherRealm('elsewhere');
  const attacks: [string, RequestOptions][] = [
    ['UNAUTHORIZED', { from }],
    ['INVALID_API_KEY', { from, login: basic('nobody@example.com', 'x'.repeat(32)) }],
    ['INVALID_API_KEY', { from, login: basic(ada.email, 'x'.repeat(32)) }],
    ['INVALID_API_KEY', { from, login: basic(elsewhere.owner.email, elsewhere.owner.apiKey) }],
    ['NOT_FOUND', { from, path: '/user_avatars/x' }],
  ];
  for (const [code, options] of attacks) {
    const found = await codes(LIMIT + 2, options);
    expect([code, 'RATE_LIMIT_HIT']).toContain(found[0]);
    expect(found.at(-1)).toBe('RATE_LIMIT_HIT');
  }
  expect(await codes(3, { from, login: ada.login })).toEqual(['done', 'done', 'done']);
});

test('reads without credentials, wrong keys, logins and pictures are counted separately', async () => {
  const from = newAddress();
  const wrong = basic('nobody@example.com', 'x'.repeat(32));
  expect(await codes(LIMIT + 2, { from })).toEqual(spentAfter('UNAUTHORIZED'));
  expect(await codes(LIMIT + 2, { from, login: wrong })).toEqual(spentAfter('INVALID_API_KEY'));
  expect(await codes(LIMIT + 2, { from, path: '/user_avatars/x' })).toEqual(spentAfter('NOT_FOUND'));
  const logIn = async () => {
    const init = { method: 'POST', headers: { 'X-Forwarded-For': from } };
    return ((await (await chat.fetch('/api/v1/fetch_api_key', init)).json()) as { code: string }).code;
  };
  const logins: string[] = [];
  for (let n = 0; n < LIMIT + 2; n++) logins.push(await logIn());
  expect(logins).toEqual(spentAfter('REQUEST_VARIABLE_MISSING'));
});

test('unknown tokens are counted as wrong keys, and a valid token is never rejected for them', async () => {
  const from = newAddress();
  const ada = await member('ada');
  const { secret } = await ada.api.createToken({ name: 'Digest', scopes: ['read'] });
  const elsewhere = await chat.otherRealm('elsewhere');
  const foreign = await elsewhere.owner.api.createToken({ name: 'Digest', scopes: ['read'] });
  expect(await codes(LIMIT + 2, { from, login: `Bearer ${foreign.secret}` })).toEqual(spentAfter('INVALID_TOKEN'));
  expect(await codes(1, { from, login: basic(ada.email, 'x'.repeat(32)) })).toEqual(['RATE_LIMIT_HIT']);
  expect(await codes(3, { from, login: `Bearer ${secret}` })).toEqual(['done', 'done', 'done']);
});

test('a token counts against the rate limit of its account', async () => {
  const ada = await member('ada');
  const { secret } = await ada.api.createToken({ name: 'Digest', scopes: ['read'] });
  const found = await codes(21, { from: newAddress(), login: `Bearer ${secret}` });
  expect(found.at(-1)).toBe('RATE_LIMIT_HIT');
  expect(await codes(1, { from: newAddress(), login: ada.login })).toEqual(['RATE_LIMIT_HIT']);
});

test('a client in the same IPv6 network or with another port has the same limit', async () => {
  const wrong = basic('nobody@example.com', 'x'.repeat(32));
  for (const [one, other, stranger] of [
    ['192.0.2.250:1001', '192.0.2.250:1002', newAddress()],
    ['2001:db8:5::1', '[2001:db8:5::2]:443', '2001:db8:6::1'],
  ] as const) {
    expect(await codes(LIMIT, { from: one, login: wrong })).toEqual(Array(LIMIT).fill('INVALID_API_KEY'));
    expect(await codes(1, { from: other, login: wrong })).toEqual(['RATE_LIMIT_HIT']);
    expect(await codes(1, { from: stranger, login: wrong })).toEqual(['INVALID_API_KEY']);
  }
});

test('a caller whose limit is used up costs no statement', async () => {
  const [ada, ben] = [await member('ada'), await member('ben')];
  const oldKey = ben.login;
  await ben.api.regenerateApiKey();
  const spent: RequestOptions[] = [
    { from: newAddress() },
    { from: newAddress(), login: oldKey },
    { from: newAddress(), login: basic('nobody@example.com', 'x'.repeat(32)), host: 'nowhere.localhost' },
    { from: newAddress(), login: ada.login },
    { from: newAddress(), login: 'Bearer parley_unknown' },
  ];
  for (const options of spent) {
    for (let n = 0; n < 21; n++) await (await request(options)).arrayBuffer();
    let answers: string[] = [];
    const statements = await chat.statements(async () => {
      answers = await codes(10, options);
    });
    expect(answers).toEqual(Array(10).fill('RATE_LIMIT_HIT'));
    expect(statements).toBe(0);
  }
});

test('a rate-limited caller receives the time to wait, in the body and in the headers', async () => {
  const options = { from: newAddress(), login: basic('nobody@example.com', 'y'.repeat(32)) };
  await codes(LIMIT + 1, options);
  const answer = await request(options);
  const { 'retry-after': wait } = (await answer.json()) as { 'retry-after': number };
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(60);
  expect(Number(answer.headers.get('retry-after'))).toBe(Math.ceil(wait));
  expect([answer.headers.get('x-ratelimit-limit'), answer.headers.get('x-ratelimit-remaining')]).toEqual(['5', '0']);
});

test('a page of another site uses up no limit of the credentials that a browser sends for it', async () => {
  const from = newAddress();
  const ada = await member('ada');
  const statements = await chat.statements(async () => {
    for (let n = 0; n < LIMIT + 2; n++) {
      const headers = { 'X-Forwarded-For': from, Authorization: ada.login, 'Sec-Fetch-Site': 'cross-site' };
      const answer = await chat.fetch('/api/v1/users/me/alert_words', { method: 'POST', headers });
      expect(((await answer.json()) as { code: string }).code).toBe('UNAUTHORIZED');
    }
  });
  expect(statements).toBe(0);
  expect(await codes(1, { from, login: ada.login })).toEqual(['done']);
});
