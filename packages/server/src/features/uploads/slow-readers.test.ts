// Clients that request files and do not read them: the bytes read for them stay in memory.
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { got, loginOf, partsOf, textFile, uploaded } from '../../../test/files.ts';
import { bounds } from '../../core/limits.ts';

let chat: Chat;
let hasty: Chat;
beforeAll(async () => {
  chat = await startChat();
  hasty = await startChat({ idleTimeoutMs: 2000 });
});
afterAll(async () => {
  await chat.close();
  await hasty.close();
});

/** More than the system buffers for a socket without a reader. */
const large = textFile('soup'.repeat(4 * 1024 * 1024));

/** Requests a file and reads none of it. */
function download(at: Chat, uri: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: at.port, path: uri, headers: { Host: at.realm.host, ...headers } };
    request(options, resolve).on('error', reject).end();
  });
}

async function requestOften(at: Chat, who: TestUser, uri: string): Promise<IncomingMessage[]> {
  const { url } = await who.api.getFileUrl(partsOf(uri));
  const ways = (n: number) => (n % 2 === 0 ? download(at, uri, loginOf(who)) : download(at, url, {}));
  return Promise.all(Array.from({ length: bounds.downloads }, (_, n) => ways(n)));
}

test('the concurrent downloads of one account are limited, without effect on other accounts', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const uri = await uploaded(ada, large);
  const etag = (await got(chat, ada, uri, { method: 'HEAD' })).headers.get('etag') ?? '';
  const responses = await requestOften(chat, ada, uri);
  expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  const { status, headers, bytes } = await got(chat, ada, uri);
  expect([status, headers.get('retry-after'), headers.get('etag')]).toEqual([429, '5', null]);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(JSON.parse(bytes.toString())).toMatchObject({ code: 'RATE_LIMIT_HIT', 'retry-after': 5 });
  // Responses without a body do not count.
  expect((await got(chat, ada, uri, { method: 'HEAD' })).status).toBe(200);
  expect((await got(chat, ada, uri, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  expect((await got(chat, ben, await uploaded(ben))).status).toBe(200);
  for (const res of responses) res.destroy();
  await expect.poll(async () => (await got(chat, ada, uri)).status).toBe(200);
});

test('a download that the client does not read is ended', async () => {
  const [ada] = await hasty.users('ada');
  const uri = await uploaded(ada, large);
  await requestOften(hasty, ada, uri);
  await expect.poll(async () => (await got(hasty, ada, uri, { headers: { Range: 'bytes=0-3' } })).status).toBe(206);
});

test('a finished download does not count any more', async () => {
  const [ada] = await chat.users('ada');
  const uri = await uploaded(ada);
  for (let n = 0; n <= bounds.downloads; n++) expect((await got(chat, ada, uri)).status).toBe(200);
});
