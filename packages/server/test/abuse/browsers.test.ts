// Requests of pages of other sites, and the headers that protect browsers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, PASSWORD, startChat, type TestUser } from '../chat.ts';
import { loginOf } from '../files.ts';
import { startSecondProcess } from '../second-process.ts';
import { unlimited } from '../unlimited.ts';
import { FORM, send } from './raw-request.ts';

const ALLOWED = 'https://app.example.com';

let chat: Chat;
let ada: TestUser;
/** For a token of Ada's. */
let secret: string;
beforeAll(async () => {
  chat = await startChat({ trustProxy: 'loopback', allowedOrigins: new Set([ALLOWED]) });
  [ada] = await chat.users('ada');
  ({ secret } = await ada.api.createToken({ name: 'Page', scopes: ['read', 'write'] }));
});
afterAll(() => chat.close());

const withToken = () => ({ Authorization: `Bearer ${secret}` });
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
  ])('from a page of the origin %s fails, also without the header Sec-Fetch-Site', async (origin) => {
    const Origin = origin.replace('{scheme}', 'http').replace('{host}', chat.realm.host);
    for (const from of [{}, { 'Sec-Fetch-Site': 'none' }]) {
      const { status, body } = await write({ Origin, ...from });
      expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    }
    expect((await ada.api.getAlertWords()).alert_words).toEqual([]);
  });

  test('from a page of the organization succeeds, at any port of a proxy', async () => {
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

  test('from a page over HTTP fails where the organization has HTTPS: a network attacker could have written it', async () => {
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

describe('a write without credentials', () => {
  const logIn = async (headers: Record<string, string>) => {
    const body = new URLSearchParams({ username: chat.owner.email, password: PASSWORD }).toString();
    return send(chat, '/fetch_api_key', { headers: { 'Content-Type': FORM, ...headers }, body });
  };

  test.each(['https://evil.example', 'null', 'file://', 'http://{host}.evil.example'])(
    'from a page of the origin %s fails',
    async (origin) => {
      const { status, body } = await logIn({ Origin: origin.replace('{host}', chat.realm.host) });
      expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
    },
  );

  test('from a page of another site fails by the header Sec-Fetch-Site', async () => {
    for (const from of ['cross-site', 'same-site']) {
      expect((await logIn({ 'Sec-Fetch-Site': from })).body.code, from).toBe('UNAUTHORIZED');
    }
  });

  test('from a page of the organization, of an allowed origin, or from a program succeeds', async () => {
    for (const headers of [{ Origin: `http://${chat.realm.host}` }, { Origin: ALLOWED }, {}]) {
      expect((await logIn(headers as Record<string, string>)).status).toBe(200);
    }
  });
});

describe('a page of an allowed origin', () => {
  const exposed = 'ETag,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,Retry-After,X-Request-Id';

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])('can send %s with its credentials', async (method) => {
    const preflight = { Origin: ALLOWED, 'Access-Control-Request-Method': method };
    const { status, headers, text } = await send(chat, '/users/me', { method: 'OPTIONS', headers: preflight });
    expect([status, text]).toEqual([204, '']);
    expect(headers['access-control-allow-origin']).toBe(ALLOWED);
    expect(headers['access-control-allow-methods']?.split(',')).toContain(method);
    expect(headers['access-control-allow-headers']).toBe(
      'Authorization,Content-Type,Idempotency-Key,If-None-Match,Last-Event-ID',
    );
    expect(headers.vary).toContain('Origin');
  });

  test.each([
    ['a success', '/users/me', () => loginOf(ada), 200],
    ['a success with a token', '/users/me', () => withToken(), 200],
    ['a token without the scope', '/tokens', () => withToken(), 403],
    ['an error', '/users/me', () => ({}), 401],
    ['no operation', '/nowhere', () => ({}), 404],
  ])('can read the response: %s', async (_what, path, login, expected) => {
    const { status, headers } = await send(chat, path, { method: 'GET', headers: { Origin: ALLOWED, ...login() } });
    expect(status).toBe(expected);
    expect(headers).toMatchObject({
      'access-control-allow-origin': ALLOWED,
      'access-control-expose-headers': exposed,
      vary: expect.stringContaining('Origin'),
    });
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  test('can write with a key or a token, as another site', async () => {
    const page = { Origin: ALLOWED, 'Sec-Fetch-Site': 'cross-site' };
    expect((await write(page)).status).toBe(200);
    expect((await write({ ...page, ...withToken() })).status).toBe(200);
  });
});

describe('a page of another origin', () => {
  test.each(['https://evil.example', 'null', `${ALLOWED}.evil.example`, 'http://app.example.com'])(
    'that is not allowed, %s, gets no CORS headers and cannot write',
    async (Origin) => {
      const preflight = { Origin, 'Access-Control-Request-Method': 'POST' };
      for (const method of ['OPTIONS', 'GET']) {
        const { headers } = await send(chat, '/users/me', { method, headers: { ...preflight, ...loginOf(ada) } });
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
        expect(headers.vary).toContain('Origin');
      }
      expect((await write({ Origin, 'Sec-Fetch-Site': 'cross-site' })).status).toBe(401);
    },
  );

  test('gets no CORS headers where the operator allows no origin', async () => {
    const closed = await startChat();
    const { headers } = await send(closed, '/users/me', { method: 'OPTIONS', headers: { Origin: ALLOWED } });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    await closed.close();
  });
});

describe('an origin that one organization allows', () => {
  const OWN = 'https://board.example.org';
  const allowed = (origins: string[]) => chat.owner.api.updateRealm({ allowed_origins: origins });
  const preflight = async (host = chat.realm.host, at = chat) => {
    const headers = { Host: host, Origin: OWN, 'Access-Control-Request-Method': 'POST' };
    return (await send(at, '/users/me', { method: 'OPTIONS', headers })).headers['access-control-allow-origin'];
  };

  test('can call its API from the next request on, and no longer after its removal', async () => {
    expect([await preflight(), (await write({ Origin: OWN })).status]).toEqual([undefined, 401]);
    await allowed([OWN]);
    expect([await preflight(), (await write({ Origin: OWN, 'Sec-Fetch-Site': 'cross-site' })).status]).toEqual([
      OWN,
      200,
    ]);
    const { headers } = await send(chat, '/users/me', { method: 'GET', headers: { Origin: OWN, ...loginOf(ada) } });
    expect(headers).toMatchObject({
      'access-control-allow-origin': OWN,
      'access-control-expose-headers': expect.stringContaining('Retry-After'),
    });
    await allowed([]);
    expect([await preflight(), (await write({ Origin: OWN })).status]).toEqual([undefined, 401]);
  });

  test('cannot call the API of another organization', async () => {
    await allowed([OWN]);
    const other = await chat.otherRealm('neighbours');
    expect([await preflight(), await preflight(other.realm.host)]).toEqual([OWN, undefined]);
    const headers = { ...loginOf(other.owner), Host: other.realm.host, 'Content-Type': FORM, Origin: OWN };
    const path = '/users/me/alert_words';
    expect((await send(chat, path, { headers, body: 'alert_words=["soup"]' })).body.code).toBe('UNAUTHORIZED');
  });

  test('costs no statement more than a page of the organization, and a rejected origin costs none', async () => {
    await allowed([OWN]);
    await ada.api.getOwnUser();
    const read = (Origin: string) =>
      chat.statements(() => send(chat, '/users/me', { method: 'GET', headers: { Origin, ...loginOf(ada) } }));
    const own = await read(`http://${chat.realm.host}`);
    expect([await read(OWN), await read('https://evil.example')]).toEqual([own, own]);
    expect(await chat.statements(() => preflight())).toBe(0);
    expect(await chat.statements(() => write({ Origin: 'https://evil.example' }))).toBe(0);
  });

  test('can write, and no other can, also from an address that has used up its reads', async () => {
    const address = async () => ({ limit: 1, remaining: 0, reset: 0, wait: 60 });
    const busy = await startChat({ requestLimits: { ...unlimited, address } });
    const ben = await busy.user('ben', { mirrored: false });
    await busy.owner.api.updateRealm({ allowed_origins: [OWN] });
    const statusFrom = async (Origin: string) => {
      const headers = { ...loginOf(ben), 'Content-Type': FORM, Origin };
      return (await send(busy, '/users/me/alert_words', { headers, body: 'alert_words=["soup"]' })).status;
    };
    busy.app.organizationOrigins.expire(busy.realm.id);
    expect(await statusFrom('https://evil.example')).toBe(401);
    busy.app.organizationOrigins.expire(busy.realm.id);
    expect(await statusFrom(OWN)).toBe(200);
    await busy.close();
  });

  test('can read responses when events expire the cache of origins, also from an address that has used up its limit', async () => {
    const counted: unknown[] = [];
    const address = async (...of: unknown[]) => {
      counted.push(of);
      return { limit: 1, remaining: 0, reset: 0, wait: 60 };
    };
    const busy = await startChat({ requestLimits: { ...unlimited, address } });
    const ben = await busy.user('ben', { mirrored: false });
    await busy.owner.api.updateRealm({ allowed_origins: [OWN] });
    for (let n = 0; n < 3; n++) {
      await busy.message({ from: busy.owner, to: [ben] });
      const headers = { ...loginOf(ben), Origin: OWN };
      const response = await send(busy, '/users/me', { method: 'GET', headers });
      expect([response.status, response.headers['access-control-allow-origin']]).toEqual([200, OWN]);
    }
    expect(counted).toEqual([]);
    await busy.close();
  });

  test('is read from the database once, also for an unknown organization', async () => {
    const unknown = `${chat.realm.subdomain}-gone.localhost`;
    expect(await chat.statements(() => preflight(unknown))).toBe(1);
    expect(await chat.statements(() => preflight(unknown))).toBe(0);
  });

  test.runIf(process.env.DATABASE_URL)('is known to the other processes of the server at once', async () => {
    await allowed([]);
    const other = await startSecondProcess(chat);
    expect(await preflight(chat.realm.host, { ...chat, port: other.port })).toBeUndefined();
    await allowed([OWN]);
    await expect.poll(() => preflight(chat.realm.host, { ...chat, port: other.port })).toBe(OWN);
    await other.close();
  });
});
