// How often operations wait for PostgreSQL. Each round trip costs both sides as much as a small statement.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from './chat.ts';
import { onPostgres } from './database.ts';
import { startTcpProxy, type TcpProxy } from './faults/tcp-proxy.ts';
import { startSecondProcess } from './second-process.ts';

/** Ends the messages of a statement with parameters, or of several that are sent together. */
const SYNC = 'S\0\0\0\u0004';

describe.runIf(onPostgres)('round trips', () => {
  let chat: Chat;
  let proxy: TcpProxy;
  let server: Awaited<ReturnType<typeof startSecondProcess>>;
  let ada: TestUser;
  let sent = 0;
  beforeAll(async () => {
    chat = await startChat();
    proxy = await startTcpProxy(chat.database.url ?? '', (bytes) => {
      if (bytes.toString('latin1').endsWith(SYNC)) sent++;
    });
    server = await startSecondProcess(chat, { url: proxy.addressOf(chat.database.url ?? '') });
    ada = await chat.user('ada');
  });
  afterAll(async () => {
    await server.close();
    await proxy.cut();
    await chat.close();
  });

  /** The median of several requests: those of jobs can fall in between. */
  async function countRoundTrips(request: () => Promise<unknown>): Promise<number> {
    const counts: number[] = [];
    // The first requests prepare their statements on each connection.
    for (let n = 0; n < 20; n++) {
      sent = 0;
      await request();
      counts.push(sent);
    }
    return counts.sort((a, b) => a - b)[counts.length / 2] ?? 0;
  }

  test('a message to a stream takes two, besides those that find its sender and wake other processes', async () => {
    const to = await chat.stream('kitchen', { by: ada });
    const api = server.apiOf(ada);
    const send = () => api.sendMessage({ type: 'stream', to, topic: 'soup', content: 'hi' });
    expect(await countRoundTrips(send)).toBe(4);
  });

  test('registering takes four, besides the one that finds the account', async () => {
    const api = server.apiOf(ada);
    expect(await countRoundTrips(() => api.registerQueue({}))).toBe(5);
  });
});
