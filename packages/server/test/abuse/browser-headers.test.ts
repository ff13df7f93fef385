// The headers of responses that protect browsers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { loginOf, uploaded } from '../files.ts';
import { send } from './raw-request.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat({ trustProxy: 'loopback' });
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());

describe('a response', () => {
  const paths = () =>
    [
      ['/users/me', loginOf(ada)],
      ['/users/me', {}],
      ['/nowhere', {}],
      ['/server_settings', {}],
      ['/accounts/login/saml/x', {}],
    ] as const;

  test('of JSON forbids content sniffing', async () => {
    for (const [path, headers] of paths()) {
      const response = await send(chat, path, { method: 'GET', headers });
      expect(response.headers['x-content-type-options'], path).toBe('nosniff');
    }
    const file = await chat.fetch(await uploaded(ada), { headers: loginOf(ada) });
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('over HTTPS has Strict-Transport-Security, as far as the proxy is trusted', async () => {
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
    ['xBasic', { 'Sec-Fetch-Dest': 'image', 'Sec-Fetch-Mode': 'no-cors' }],
    ['xBasic', { 'X-Requested-With': 'XMLHttpRequest' }],
    ['xBasic', { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)', Accept: '*/*' }],
    ['Basic', { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)', Accept: 'text/html,*/*;q=0.8' }],
    ['Basic', { 'User-Agent': 'Mozilla/5.0 (Windows NT; en-US) WindowsPowerShell/5.1' }],
    ['Basic', { 'User-Agent': 'curl/8.5.0', Accept: '*/*' }],
  ])('of status 401 has the challenge %s for %j', async (scheme, headers) => {
    const { status, headers: sent } = await send(chat, '/users/me', { method: 'GET', headers });
    expect([status, sent['www-authenticate']]).toEqual([401, `${scheme} realm="parley"`]);
  });
});
