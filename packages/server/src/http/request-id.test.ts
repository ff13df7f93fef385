import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../test/chat.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

let chat: Chat;
let proxied: Chat;
beforeAll(async () => {
  chat = await startChat();
  proxied = await startChat({ trustProxy: 'loopback' });
});
afterAll(() => Promise.all([chat.close(), proxied.close()]));

const idOf = async (server: Chat, path: string, sent?: string) =>
  (await server.fetch(path, { headers: sent === undefined ? {} : { 'X-Request-Id': sent } })).headers.get(
    'x-request-id',
  );

test.each(['/api/v1/server_settings', '/api/v1/users/me', '/api/v1/nothing', '/livez', '/user_avatars/1/2.png'])(
  'the response to %s has an id of its own',
  async (path) => {
    const ids = [await idOf(chat, path), await idOf(chat, path)];
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(2);
  },
);

test('a trusted proxy sets the id, if it is valid; a client does not', async () => {
  const [sent, path] = ['5b3c0f1e9a', '/api/v1/server_settings'];
  expect(await idOf(proxied, path, sent)).toBe(sent);
  expect(await idOf(chat, path, sent)).toMatch(UUID);
  for (const wrong of ['a b', 'x'.repeat(129), '<b>']) expect(await idOf(proxied, path, wrong), wrong).toMatch(UUID);
});
