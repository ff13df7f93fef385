// Request bodies while they arrive.
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../test/chat.ts';
import { loginOf } from '../../test/files.ts';

let hasty: Chat;
beforeAll(async () => {
  hasty = await startChat({ idleTimeoutMs: 300 });
});
afterAll(() => hasty.close());

test.each([
  [
    'multipart/form-data; boundary=x',
    'user_uploads',
    '--x\r\nContent-Disposition: form-data; name="file"; filename="soup.txt"\r\n\r\n',
  ],
  ['application/x-www-form-urlencoded', 'messages', 'type=stream&content='],
  ['application/json', 'messages', '{"type":"stream"'],
])(
  'a body of %s that stops arriving fails after a timeout, and its connection is closed',
  async (type, path, beginning) => {
    const [ada] = await hasty.users('ada');
    const headers = { Host: hasty.realm.host, ...loginOf(ada), 'Content-Type': type, 'Content-Length': 1000 };
    const req = request({ host: '127.0.0.1', port: hasty.port, path: `/api/v1/${path}`, method: 'POST', headers });
    req.write(beginning);
    const res = await new Promise<IncomingMessage>((resolve, reject) =>
      req.on('response', resolve).on('error', reject),
    );
    expect([res.statusCode, res.headers.connection]).toEqual([400, 'close']);
    expect(JSON.parse(await text(res))).toEqual({
      result: 'error',
      code: 'BAD_REQUEST',
      reason: 'invalid',
      msg: 'Nothing of the body has arrived for 0.3 seconds.',
    });
    await expect.poll(() => req.socket?.destroyed).toBe(true);
  },
);
