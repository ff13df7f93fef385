// The example of the guide "OAuth applications", as readers copy it.
import { readFileSync } from 'node:fs';
import { createClient } from '@parley/client';
import * as oauth from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../chat.ts';
import { hostFetch } from '../host-fetch.ts';
import { allow, register, userWithPassword } from '../third-party.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const guide = new URL('../../../../apps/docs/src/content/docs/guides/applications.mdx', import.meta.url);

/** The statements of the first example. The test provides its imports. */
function readExample(): string {
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(guide, 'utf8')) ?? [];
  return code.replaceAll(/^import .*$/gm, '').replace(/const client =/, 'client =');
}

test('the example of the guide gets a token and sends a message with it', async () => {
  const ada = await userWithPassword(chat, 'ada');
  await chat.stream('kitchen', { by: chat.owner, members: [ada] });
  const redirect_uri = 'http://127.0.0.1/callback';
  const { application } = await register(chat, { redirect_uris: [redirect_uri], is_confidential: false });
  const fetchHere = hostFetch(chat.port);
  const names = {
    oauth,
    url: chat.realm.url,
    redirect_uri: 'http://127.0.0.1:49152/callback',
    client_id: application.client_id,
    options: {
      algorithm: 'oauth2',
      execute: [oauth.allowInsecureRequests],
      [oauth.customFetch]: (url: string, init: object) => fetchHere(new Request(url, init)),
    },
    sendUserTo: (address: URL) => allow(chat, address, ada),
    createClient: (_url: string, { token }: { token: string }) =>
      createClient(chat.url, { token, fetch: hostFetch(chat.port) }),
  };
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as FunctionConstructor;
  await AsyncFunction(...Object.keys(names), `let client;${readExample()}`)(...Object.values(names));
  const { messages } = await ada.api.getMessages({ anchor: 'newest', num_before: 1, num_after: 0 });
  expect(messages).toMatchObject([{ sender_id: ada.id, subject: 'soup', content: '<p>Soup is planned.</p>' }]);
});
