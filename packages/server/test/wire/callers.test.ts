// The caller and the organization of a request (docs/behaviour/requests.md#order-of-checks,
// docs/behaviour/auth.md#credentials), the same for every operation.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { basic, rawCalls } from './raw.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());
const { call } = rawCalls(() => ({ chat, person: ada }));

describe('the organization', () => {
  const at = (host: string) =>
    new Promise<{ status: number; code: string | undefined }>((resolve, reject) => {
      request(
        `http://127.0.0.1:${chat.port}/api/v1/users/me`,
        { headers: { Host: host, Authorization: basic(ada.email, ada.apiKey) } },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, code: JSON.parse(text).code }));
        },
      )
        .on('error', reject)
        .end();
    });

  test('follows from the host name, in any case and at any port', async () => {
    expect(await at('LocalHost:1234')).toMatchObject({ status: 200 });
  });

  test('an unknown subdomain is 404 NONEXISTENT_SUBDOMAIN', async () => {
    for (const host of ['nobody.localhost', 'example.com', 'a.b.localhost', '']) {
      expect(await at(host)).toEqual({ status: 404, code: 'NONEXISTENT_SUBDOMAIN' });
    }
  });

  test('credentials of one organization are invalid in another', async () => {
    const { realm } = await chat.otherRealm('other');
    expect(await at(realm.host)).toEqual({ status: 401, code: 'INVALID_API_KEY' });
  });
});

describe('credentials', () => {
  const withAuth = (auth: string | null) => call('/users/me', { auth });

  test.each([
    ['none', null],
    ['another scheme', 'Digest abc'],
    ['no credentials after the scheme', 'Basic'],
    ['not base64', 'Basic ???'],
    ['no colon', `Basic ${Buffer.from('ada').toString('base64')}`],
    ['two colons', `Basic ${Buffer.from('a:b:c').toString('base64')}`],
  ])('that cannot be parsed are UNAUTHORIZED: %s', async (_case, auth) => {
    const answer = await withAuth(auth);
    expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect(answer.headers.get('www-authenticate')).toBe('Basic realm="parley"');
  });

  // shows: 5.1
  test('that are wrong are INVALID_API_KEY, with the same response for an unknown email and a wrong key', async () => {
    const wrong = await withAuth(basic(ada.email, 'x'.repeat(32)));
    const unknown = await withAuth(basic('nobody@example.com', ada.apiKey));
    const malformed = await withAuth(basic(ada.email, 'short'));
    expect(wrong).toMatchObject({ status: 401, body: { code: 'INVALID_API_KEY' } });
    expect(unknown.body).toEqual(wrong.body);
    expect(malformed.body).toEqual(wrong.body);
  });

  // shows: 5.1
  test('are valid in any case of the scheme and the email, and with spaces around them', async () => {
    const auth = `bAsIc ${Buffer.from(` ${ada.email.toUpperCase()} : ${ada.apiKey} `).toString('base64')}`;
    expect((await withAuth(auth)).status).toBe(200);
  });

  test('a key is 32 letters and digits', () => {
    expect(ada.apiKey).toMatch(/^[0-9A-Za-z]{32}$/);
  });
});

describe('the order of checks', () => {
  test('path, verb, organization, credentials, parameters', async () => {
    expect((await call('/nowhere', { auth: null })).body.code).toBe('NOT_FOUND');
    expect((await call('/messages', { method: 'PATCH', auth: null })).body.code).toBe('METHOD_NOT_ALLOWED');
    expect((await call('/messages', { method: 'POST', auth: null })).body.code).toBe('UNAUTHORIZED');
    expect((await call('/messages', { method: 'POST' })).body.code).toBe('REQUEST_VARIABLE_MISSING');
  });

  test('without the role the error is about the role, even when parameters are missing', async () => {
    expect((await call('/realm', { method: 'PATCH', body: '{', type: 'application/json' })).body.code).toBe(
      'UNAUTHORIZED_PRINCIPAL',
    );
    const guest = await chat.user('gus', { role: 'guest' });
    const answer = await call('/users/me/subscriptions', { method: 'POST', auth: basic(guest.email, guest.apiKey) });
    expect(answer.body).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringMatching(/guest/i) });
  });
});
