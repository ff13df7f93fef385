// Files while they arrive: nobody can take up the room that all have for them together, on purpose or by a bad connection.
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

/** Begins an upload; what it goes on with is written to `req`. */
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
  // Those that a test ends itself break off.
  answer.catch(() => {});
  req.write(HEAD);
  return { req, answer };
}

describe('files that arrive for one account', () => {
  test('are two of the largest at once at most, and others can upload all the while', async () => {
    const [ada, ben] = await chat.users('ada', 'ben');
    const unfinished = [begin(ada), begin(ada), begin(ada)];
    for (const { req } of unfinished) req.write(Buffer.alloc(limits.max_file_upload_size_mib * MIB));
    // Which of them comes too late is a matter of chance.
    expect(await Promise.race(unfinished.map(({ answer }) => answer))).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMIT_HIT', msg: expect.stringContaining('Your account'), 'retry-after': 5 },
    });
    await uploaded(ben);
    for (const { req } of unfinished) req.destroy();
    const again = () => uploaded(ada, textFile('x'.repeat(20 * MIB))).catch(({ body }) => body);
    await expect.poll(again).toMatch(/^\/user_uploads\//);
  });

  test('count until they are answered and no longer', async () => {
    const [ada] = await chat.users('ada');
    const file = textFile('x'.repeat(10 * MIB));
    for (let n = 0; n * 10 * MIB <= bounds.request_bytes.account; n++) await uploaded(ada, file);
  });
});
