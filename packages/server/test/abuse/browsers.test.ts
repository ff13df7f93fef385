// What pages of other sites can have a browser do, and what a browser is told of the connection.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, type Person, startChat } from '../chat.ts';
import { loginOf, uploaded } from '../files.ts';
import { FORM, send } from './raw-request.ts';

const ALLOWED = 'https://app.example.com';

let chat: Chat;
let ada: Person;
beforeAll(async () => {
  chat = await startChat({ trustProxy: 'loopback', allowedOrigins: new Set([ALLOWED]) });
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());

const write = (headers: Record<string, string>) =>
  send(chat, '/users/me/alert_words', {
    headers: { ...loginOf(ada), 'Content-Type': FORM, ...headers },
    body: 'alert_words=["soup"]',
  });

describe('a write with credentials', () => {
  test.each([
    'https://evil.example',
    'http://evil.localhost',
    'http://localhost',
    'null',
    'file://',
    'HTTP://',
    'ftp://{host}',
    '{scheme}://{host}.evil.example',
    '{scheme}://user@{host}',
    '{scheme}://{host}:81',
  ])('from a page of the origin %s is refused, also by browsers that say nothing else', async (origin) => {
    const Origin = origin.replace('{scheme}', 'http').replace('{host}', chat.realm.host);
    for (const from of [{}, { 'Sec-Fetch-Site': 'none' }]) {
      const { status, body } = await write({ Origin, ...from });
      expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    }
    expect((await ada.api.getAlertWords()).alert_words).toEqual([]);
  });

  test('from a page of the organization is carried out, at whatever port a proxy has it', async () => {
    const { host } = chat.realm;
    for (const [Host, Origin] of [
      [host, `http://${host}`],
      [`${host}:${chat.port}`, `http://${host}:${chat.port}`],
      [`${host}:443`, `https://${host}`],
      [host.toUpperCase(), `http://${host}`],
      [host, `https://${host}`],
    ] as const) {
      expect((await write({ Host, Origin })).status, Origin).toBe(200);
    }
  });

  test('from a page that a network attacker could have written is refused where the organization has HTTPS', async () => {
    const secure = await startChat({ scheme: 'https' });
    const ben = await secure.user('ben', { mirrored: false });
    const answer = async (scheme: string) => {
      const headers = { ...loginOf(ben), 'Content-Type': FORM, Origin: `${scheme}://${secure.realm.host}` };
      return (await send(secure, '/users/me/alert_words', { headers, body: 'alert_words=["soup"]' })).status;
    };
    expect([await answer('http'), await answer('https')]).toEqual([401, 200]);
    await secure.close();
  });
});

describe('a response', () => {
  const paths = () =>
    [
      ['/users/me', loginOf(ada)],
      ['/users/me', {}],
      ['/nowhere', {}],
      ['/server_settings', {}],
      ['/accounts/login/saml/x', {}],
    ] as const;

  test('of JSON says that nobody is to guess another type', async () => {
    for (const [path, headers] of paths()) {
      const response = await send(chat, path, { method: 'GET', headers });
      expect(response.headers['x-content-type-options'], path).toBe('nosniff');
    }
    const file = await chat.fetch(await uploaded(ada), { headers: loginOf(ada) });
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('that came by HTTPS says that there is nothing by HTTP, as far as the proxy is trusted', async () => {
    const age = async (headers: Record<string, string>, at = chat) =>
      (await send(at, '/server_settings', { method: 'GET', headers })).headers['strict-transport-security'];
    expect(await age({ 'X-Forwarded-Proto': 'https' })).toBe('max-age=31536000');
    expect(await age({ 'X-Forwarded-Proto': 'http' })).toBeUndefined();
    expect(await age({})).toBeUndefined();
    const direct = await startChat();
    expect(await age({ 'X-Forwarded-Proto': 'https' }, direct)).toBeUndefined();
    await direct.close();
  });

  test.each([
    ['Basic', {}],
    ['Basic', { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Mode': 'navigate' }],
    ['Basic', { 'Sec-Fetch-Mode': 'cors' }],
    ['xBasic', { 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Mode': 'cors' }],
    ['xBasic', { 'X-Requested-With': 'XMLHttpRequest' }],
  ])('of status 401 has the challenge %s to %j', async (scheme, headers) => {
    const { status, headers: sent } = await send(chat, '/users/me', { method: 'GET', headers });
    expect([status, sent['www-authenticate']]).toEqual([401, `${scheme} realm="parley"`]);
  });
});

describe('a page of an allowed origin', () => {
  const exposed = 'X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,Retry-After,X-Request-Id';

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])('may send %s with its credentials', async (method) => {
    const asks = { Origin: ALLOWED, 'Access-Control-Request-Method': method };
    const { status, headers, text } = await send(chat, '/users/me', { method: 'OPTIONS', headers: asks });
    expect([status, text]).toEqual([204, '']);
    expect(headers['access-control-allow-origin']).toBe(ALLOWED);
    expect(headers['access-control-allow-methods']?.split(',')).toContain(method);
    expect(headers['access-control-allow-headers']).toBe('Authorization,Content-Type,Idempotency-Key,Last-Event-ID');
    expect(headers.vary).toContain('Origin');
  });

  test.each([
    ['a success', '/users/me', () => loginOf(ada), 200],
    ['an error', '/users/me', () => ({}), 401],
    ['no operation', '/nowhere', () => ({}), 404],
  ])('reads the response: %s', async (_what, path, login, expected) => {
    const { status, headers } = await send(chat, path, { method: 'GET', headers: { Origin: ALLOWED, ...login() } });
    expect(status).toBe(expected);
    expect(headers).toMatchObject({
      'access-control-allow-origin': ALLOWED,
      'access-control-expose-headers': exposed,
      vary: expect.stringContaining('Origin'),
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  test('writes with a key, as another site', async () => {
    expect((await write({ Origin: ALLOWED, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(200);
  });
});

describe('a page of another origin', () => {
  test.each(['https://evil.example', 'null', `${ALLOWED}.evil.example`, 'http://app.example.com'])(
    'that is not allowed, %s, is told nothing and cannot write',
    async (Origin) => {
      const asks = { Origin, 'Access-Control-Request-Method': 'POST' };
      for (const method of ['OPTIONS', 'GET']) {
        const { headers } = await send(chat, '/users/me', { method, headers: { ...asks, ...loginOf(ada) } });
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
        expect(headers.vary).toContain('Origin');
      }
      expect((await write({ Origin, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(401);
    },
  );

  test('is told nothing where the operator allows none', async () => {
    const closed = await startChat();
    const { headers } = await send(closed, '/users/me', { method: 'OPTIONS', headers: { Origin: ALLOWED } });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    await closed.close();
  });
});
