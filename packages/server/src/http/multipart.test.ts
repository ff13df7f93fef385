// Files while they arrive: no client can use up the memory for all uploads, on purpose or by a slow connection.
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../test/chat.ts';
import { loginOf, textFile, uploaded } from '../../test/files.ts';
import { bounds, limits } from '../core/limits.ts';

const MIB = 1024 * 1024;
const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="soup.txt"\r\n\r\n';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

interface Upload {
  readonly req: ClientRequest;
  readonly answer: Promise<{ status: number | undefined; body: Record<string, unknown>; headers: object }>;
}

/** Begins an upload; the test writes the rest to `req`. */
function begin(who: TestUser, at = chat): Upload {
  const headers = {
    Host: at.realm.host,
    ...loginOf(who),
    'Content-Type': 'multipart/form-data; boundary=x',
  };
  const req = request({ host: '127.0.0.1', port: at.port, path: '/api/v1/user_uploads', method: 'POST', headers });
  const answer = new Promise<IncomingMessage>((resolve, reject) =>
    req.on('response', resolve).on('error', reject),
  ).then(async (res) => ({ status: res.statusCode, body: JSON.parse(await text(res)), headers: res.headers }));
  // Uploads that a test aborts reject.
  answer.catch(() => {});
  req.write(HEAD);
  return { req, answer };
}

describe('uploads of one account in flight', () => {
  test('are limited to two of the largest at once, while others can upload', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const unfinished = [begin(ada), begin(ada), begin(ada)];
    for (const { req } of unfinished) req.write(Buffer.alloc(limits.max_file_upload_size_mib * MIB));
    // Any of them can be the last.
    expect(await Promise.race(unfinished.map(({ answer }) => answer))).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMIT_HIT', msg: expect.stringContaining('Your account'), 'retry-after': 5 },
    });
    await uploaded(ben);
    for (const { req } of unfinished) req.destroy();
    const again = () => uploaded(ada, textFile('x'.repeat(20 * MIB))).catch(({ body }) => body);
    await expect.poll(again).toMatch(/^\/user_uploads\//);
  });

  test('count until their response and no longer', async () => {
    const [ada] = await chat.users('ada');
    const file = textFile('x'.repeat(10 * MIB));
    for (let n = 0; n * 10 * MIB <= bounds.request_bytes.account; n++) await uploaded(ada, file);
  });
});
