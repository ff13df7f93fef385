import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../test/chat.ts';
import { loginOf, uploaded } from '../../test/files.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  [ada] = await chat.users('ada');
});
afterAll(() => chat.close());

/** Sends a request as a browser with Ada's credentials does, for a page of such a site. */
const request = (path: string, from: string | undefined, method = 'POST') =>
  chat.fetch(path, {
    method,
    headers: {
      ...loginOf(ada),
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(from !== undefined && { 'Sec-Fetch-Site': from }),
    },
    ...(method === 'POST' && { body: new URLSearchParams({ alert_words: JSON.stringify([String(from)]) }).toString() }),
  });
const words = async () => (await ada.api.getAlertWords()).alert_words;

test.each(['cross-site', 'same-site', 'nowhere'])(
  'a page of another site cannot write with the credentials of a browser: %s',
  async (from) => {
    const before = await words();
    for (const [path, method] of [
      ['users/me/alert_words', 'POST'],
      ['users/me/subscriptions', 'DELETE'],
      ['settings', 'PATCH'],
    ] as const) {
      const answer = await request(`/api/v1/${path}`, from, method);
      expect([answer.status, (await answer.json()).code]).toEqual([401, 'UNAUTHORIZED']);
    }
    expect(await words()).toEqual(before);
  },
);

test.each(['same-origin', 'none', undefined])(
  'pages of the organization, and programs, can write: %s',
  async (from) => {
    expect((await request('/api/v1/users/me/alert_words', from)).status).toBe(200);
    expect(await words()).toContain(String(from));
  },
);

test('reads are accepted from any site, and a login is not', async () => {
  for (const path of ['/api/v1/users/me', await uploaded(ada)]) {
    for (const method of ['GET', 'HEAD']) expect((await request(path, 'cross-site', method)).status, path).toBe(200);
  }
  const logIn = await request('/api/v1/fetch_api_key', 'cross-site');
  expect((await logIn.json()).code).toBe('UNAUTHORIZED');
});
