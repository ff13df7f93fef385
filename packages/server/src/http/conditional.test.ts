import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../test/chat.ts';
import { loginOf } from '../../test/files.ts';
import { isKnownTag } from './conditional.ts';

let chat: Chat;
let ada: TestUser;
let guest: TestUser;
beforeAll(async () => {
  chat = await startChat();
  ada = await chat.user('ada', { role: 'owner' });
  guest = await chat.user('gus', { role: 'guest' });
  await chat.stream('kitchen', { by: ada });
});
afterAll(() => chat.close());

async function get(who: TestUser, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await chat.fetch(`/api/v1${path}`, {
    method,
    headers: { ...loginOf(who), ...headers },
  });
  const text = await response.text();
  return { status: response.status, tag: response.headers.get('ETag') ?? '', text, headers: response.headers };
}

describe.each(['/streams', '/users'])('GET %s', (path) => {
  test('responds with 304 and no body to a client that has the response', async () => {
    const first = await get(ada, path);
    expect([first.status, first.tag]).toEqual([200, expect.stringMatching(/^"[\w-]{22}"$/)]);
    const again = await get(ada, path, { 'If-None-Match': first.tag });
    expect([again.status, again.text, again.tag]).toEqual([304, '', first.tag]);
    expect(again.headers.get('Cache-Control')).toBe('no-store');
    expect(again.headers.get('X-RateLimit-Limit')).toBe(first.headers.get('X-RateLimit-Limit'));
    const head = await get(ada, path, { 'If-None-Match': first.tag }, 'HEAD');
    expect([head.status, head.tag]).toEqual([304, first.tag]);
  });

  test('has another tag for another response', async () => {
    const [all, ignored] = [await get(ada, path), await get(ada, `${path}?colour=red`)];
    expect(ignored.tag).not.toBe(all.tag);
    expect((await get(ada, `${path}?colour=red`, { 'If-None-Match': all.tag })).status).toBe(200);
  });

  test('checks credentials and parameters first', async () => {
    const { tag } = await get(ada, path);
    const wrong = await chat.fetch(`/api/v1${path}`, { headers: { 'If-None-Match': tag } });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('ETag')).toBeNull();
    const name = path === '/users' ? 'client_gravatar' : 'include_public';
    expect((await get(ada, `${path}?${name}=maybe`, { 'If-None-Match': '*' })).status).toBe(400);
  });
});

test('a change gives the list another tag, at once', async () => {
  const before = await get(ada, '/streams');
  await chat.stream('cellar', { by: ada });
  const after = await get(ada, '/streams', { 'If-None-Match': before.tag });
  expect([after.status, after.text.includes('cellar')]).toEqual([200, true]);
  expect(after.tag).not.toBe(before.tag);
});

test('users who see other lists have other tags, and those who see the same list have the same', async () => {
  const ben = await chat.user('ben');
  const cleo = await chat.user('cleo');
  const [bens, cleos, guests] = [await get(ben, '/streams'), await get(cleo, '/streams'), await get(guest, '/streams')];
  expect([bens.status, guests.status]).toEqual([200, 200]);
  expect(cleos.tag).toBe(bens.tag);
  expect(guests.tag).not.toBe(bens.tag);
});

test('operations without a documented 304 have no tag', async () => {
  const response = await get(ada, '/users/me', { 'If-None-Match': '*' });
  expect([response.status, response.tag]).toEqual([200, '']);
});

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", W/"a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  [undefined, false],
])('%s names the tag "a": %s', (header, known) => {
  expect(isKnownTag(header, '"a"')).toBe(known);
});
