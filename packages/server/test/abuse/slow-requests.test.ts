// Bytes of requests in flight: of one account, of one address without credentials, and of all together.
import type { ClientRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { createLimits, type Limits } from '../../src/http/limits/index.ts';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { loginOf } from '../files.ts';
import { begin, FORM, messageTo, send } from './raw-request.ts';

const QUOTA = { process: 9000, account: 5000, address: 3000, guaranteed: 1000 };

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  chat = await startChat({ requestQuota: QUOTA });
  [ada, ben] = await chat.users('ada', 'ben');
});
afterAll(() => chat.close());

const stalled: ClientRequest[] = [];

/** Sends so many bytes of a body that never ends. */
async function stall(bytes: number, who?: TestUser) {
  const { total } = chat.app.requestBytes;
  const { req, response } = begin(chat, who ? '/messages' : '/fetch_api_key', {
    headers: { ...(who && loginOf(who)), 'Content-Type': FORM, 'Transfer-Encoding': 'chunked' },
  });
  stalled.push(req);
  req.write('x'.repeat(bytes));
  let hasResponse = false;
  const refused = response.then(({ status, body }) => {
    hasResponse = true;
    return { status, code: body.code, wait: body['retry-after'] };
  });
  // It ends with the response, too: a poll that goes on advances the fake timers of later tests in this process.
  const held = expect.poll(() => hasResponse || chat.app.requestBytes.total === total + bytes).toBe(true);
  return Promise.race([refused, held.then(() => 'held')]);
}

const spent = { status: 429, code: 'RATE_LIMIT_HIT', wait: 5 };

test('bodies that never end use the share of their account or address, and no more; others are served', async () => {
  expect([await stall(2000), await stall(2000)]).toEqual(['held', spent]);
  expect([await stall(3000, ada), await stall(3000, ada)]).toEqual(['held', spent]);
  expect((await ben.api.getOwnUser()).user_id).toBe(ben.id);
  expect(await chat.message({ from: ben, to: [ben] })).toEqual(expect.any(Number));
  // All together may use less than the sum of the shares: then the server is busy for each caller.
  expect(await stall(4500, ben)).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE', wait: 5 });
  expect(chat.app.requestBytes.total).toBe(5000);
  const [cat] = await chat.users('cat');
  expect(await stall(3000, cat)).toBe('held');
  expect(await chat.message({ from: ben, to: [ben], content: 'x'.repeat(500) })).toEqual(expect.any(Number));
  for (const req of stalled.splice(0)) req.destroy();
  await expect.poll(() => chat.app.requestBytes.total).toBe(0);
  expect(await stall(3000, ada)).toBe('held');
  for (const req of stalled.splice(0)) req.destroy();
});

test('a body counts until the response to its request, and no longer', async () => {
  for (let n = 0; n < 10; n++) await chat.message({ from: ada, to: [ada], content: 'x'.repeat(3000) });
  await expect.poll(() => chat.app.requestBytes.total).toBe(0);
});

test('decompressed bytes count, not those sent', async () => {
  const { status, body } = await send(chat, '/messages', {
    headers: { ...loginOf(ada), 'Content-Type': FORM, 'Content-Encoding': 'gzip' },
    body: gzipSync('x'.repeat(6000)),
  });
  expect([status, body.code]).toEqual([429, 'RATE_LIMIT_HIT']);
});

test('a body is not read with wrong credentials, or from an address that has used up its limit', async () => {
  const rules = { account: 'off', events: 'off', ip: '60:2' };
  const limits: Limits = createLimits(readConfig({ PARLEY_RATE_LIMITS: JSON.stringify(rules) }).rate_rules);
  const strict = await startChat({ requestLimits: limits });
  try {
    const request = async (path: string, headers = {}) => {
      const length = { 'Content-Type': FORM, 'Content-Length': 1000 };
      const { req, response } = begin(strict, path, { headers: { ...headers, ...length } });
      req.flushHeaders();
      const { status } = await response;
      req.destroy();
      return status;
    };
    const wrong = loginOf({ email: 'ada@example.com', apiKey: 'x'.repeat(32) });
    expect([await request('/messages', wrong), await request('/messages', wrong)]).toEqual([401, 401]);
    for (const _ of [1, 2]) {
      await strict.fetch('/api/v1/fetch_api_key', { method: 'POST', body: new URLSearchParams({ username: 'a@b.c' }) });
      await strict.fetch('/api/v1/server_settings');
    }
    for (const path of ['/messages', '/fetch_api_key', '/accounts/key', '/accounts/callback/saml/x']) {
      expect(await request(path, path === '/messages' ? wrong : {}), path).toBe(429);
    }
  } finally {
    await strict.close();
    limits.close();
  }
});

test('a body that arrives slowly, while its account is deactivated, changes nothing', async () => {
  const dan = await chat.user('dan', { mirrored: false });
  const form = messageTo(dan);
  const headers = { ...loginOf(dan), 'Content-Type': FORM, 'Content-Length': form.length };
  const { total } = chat.app.requestBytes;
  const started = performance.now();
  const { req, response } = begin(chat, '/messages', { headers });
  req.write(form.slice(0, 1));
  await expect.poll(() => chat.app.requestBytes.total).toBe(total + 1);
  await chat.database.db.execute(
    sql`update users set is_active = false where realm_id = ${chat.realm.id} and id = ${dan.id}`,
  );
  await expect.poll(() => performance.now() - started).toBeGreaterThan(2_000);
  req.end(form.slice(1));
  expect((await response).body.code).toBe('USER_DEACTIVATED');
});
