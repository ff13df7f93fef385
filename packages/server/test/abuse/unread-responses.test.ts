// Clients that send requests and do not read the responses, which stay in memory.
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../chat.ts';
import { loginOf } from '../files.ts';

const MIB = 1024 * 1024;
const QUOTA = { process: 64 * MIB, account: 8 * MIB, address: 8 * MIB, guaranteed: 0 };

let chat: Chat;
let hasty: Chat;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  chat = await startChat({ responseQuota: QUOTA });
  hasty = await startChat({ responseQuota: QUOTA, idleTimeoutMs: 300 });
  [ada, ben] = await chat.users('ada', 'ben');
  await write(ada);
});
afterAll(async () => {
  await chat.close();
  await hasty.close();
});

/** Sends a user messages of four MiB to fetch. */
async function write(who: TestUser): Promise<void> {
  for (let n = 0; n < 8; n++) {
    const drafts = Array.from({ length: 50 }, () => ({
      type: 'private' as const,
      to: [who.id],
      topic: '',
      content: 'x'.repeat(10_000),
      timestamp: 1,
    }));
    await who.api.createDrafts({ drafts });
  }
}

/** Opens a connection that reads nothing. */
function open(at: Chat): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(at.port, '127.0.0.1', () => resolve(socket.pause())).on('error', reject);
  });
}

function requestDrafts(socket: Socket, at: Chat, who: TestUser): void {
  const { Authorization } = loginOf(who);
  socket.write(`GET /api/v1/drafts HTTP/1.1\r\nHost: ${at.realm.host}\r\nAuthorization: ${Authorization}\r\n\r\n`);
}

/** The bytes of responses that wait for their clients, once no request is in progress and the socket buffers are full. */
async function countUnread({ app }: Chat): Promise<number> {
  const { requests, serial } = app.admission;
  let seen: string | undefined;
  await expect
    .poll(
      () => {
        const before = seen;
        seen = [app.responseBytes.total, requests.running, requests.waiting, serial.waiting].join();
        return seen === before && seen.endsWith(',0,0,0');
      },
      { interval: 50 },
    )
    .toBe(true);
  return app.responseBytes.total;
}

test('an account that reads nothing uses its share of the memory and gets an error, and others are served', async () => {
  const sockets: Socket[] = [];
  const most: number[] = [];
  await expect
    .poll(
      async () => {
        const socket = await open(chat);
        sockets.push(socket);
        // Each after the one before it is sent, as far as it can be: its bytes could leave no room for the next one.
        for (let n = 0; n < 3; n++) {
          requestDrafts(socket, chat, ada);
          most.push(await countUnread(chat));
        }
        return ada.api.getDrafts().then(
          () => 'served',
          ({ code }) => code,
        );
      },
      { timeout: 30_000 },
    )
    .toBe('RATE_LIMIT_HIT');
  const errorResponse = await expectError('RATE_LIMIT_HIT', ada.api.getDrafts(), /not read/);
  expect(errorResponse['retry-after']).toBe(5);
  // A rejected request holds no bytes, and a first response is always sent whole.
  expect(Math.max(...most)).toBeLessThan(QUOTA.account + 8 * MIB);
  expect((await ben.api.getDrafts()).drafts).toEqual([]);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => chat.app.responseBytes.total).toBe(0);
  expect((await ada.api.getDrafts()).drafts).toHaveLength(400);
});

test('a connection that reads nothing for a while is closed', async () => {
  const [cat] = await hasty.users('cat');
  await write(cat);
  const socket = await open(hasty);
  for (let n = 0; n < 6; n++) requestDrafts(socket, hasty, cat);
  const ended = new Promise((resolve) => socket.on('error', resolve).on('close', resolve));
  await expect.poll(() => hasty.app.responseBytes.total).toBeGreaterThan(0);
  await expect.poll(() => hasty.app.responseBytes.total).toBe(0);
  socket.resume();
  await ended;
});

test('responses that were read hold no bytes', async () => {
  for (let n = 0; n < 5; n++) await ada.api.getDrafts();
  await expect.poll(() => chat.app.responseBytes.total).toBe(0);
});
