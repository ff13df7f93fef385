// How often operations wait for PostgreSQL. Each round trip costs both sides as much as a small statement.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from './chat.ts';
import { onPostgres } from './database.ts';
import { startTcpProxy, type TcpProxy } from './faults/tcp-proxy.ts';
import { startSecondProcess } from './second-process.ts';

/** Ends the messages of a statement with parameters, or of several that are sent together. */
const SYNC = 'S\0\0\0\u0004';

/** What was sent in a transaction, in how many round trips. */
interface SentTransaction {
  text: string;
  trips: number;
}

describe.runIf(onPostgres)('round trips', () => {
  let chat: Chat;
  let proxy: TcpProxy;
  let server: Awaited<ReturnType<typeof startSecondProcess>>;
  let ada: TestUser;
  const sent: SentTransaction[] = [];
  beforeAll(async () => {
    chat = await startChat();
    const open = new Map<number, SentTransaction>();
    proxy = await startTcpProxy(chat.database.url ?? '', (bytes, connection) => {
      const text = bytes.toString('latin1');
      if (text.includes('parley begin')) open.set(connection, { text: '', trips: 0 });
      const transaction = open.get(connection);
      if (!transaction) return;
      transaction.text += text;
      if (text.endsWith(SYNC)) transaction.trips++;
      if (!text.includes('parley commit')) return;
      sent.push(transaction);
      open.delete(connection);
    });
    server = await startSecondProcess(chat, { url: proxy.addressOf(chat.database.url ?? '') });
    ada = await chat.user('ada');
  });
  afterAll(async () => {
    await server.close();
    await proxy.cut();
    await chat.close();
  });

  /**
   * Of the transactions of a request, which have a text that `request` returns. The fewest of several requests: the first ones
   * prepare their statements on each connection.
   */
  async function countRoundTrips(request: () => Promise<string>): Promise<number> {
    const counts: number[] = [];
    for (let n = 0; n < 20; n++) {
      const mark = await request();
      const own = sent.filter(({ text }) => text.includes(mark));
      counts.push(own.reduce((sum, { trips }) => sum + trips, 0));
    }
    return Math.min(...counts);
  }

  test('a message to a stream takes two', async () => {
    const to = await chat.stream('kitchen', { by: ada });
    const api = server.apiOf(ada);
    const send = async () => {
      const content = `soup ${randomUUID()}`;
      await api.sendMessage({ type: 'stream', to, topic: 'soup', content });
      return content;
    };
    expect(await countRoundTrips(send)).toBe(2);
  });

  test('registering takes three', async () => {
    const api = server.apiOf(ada);
    expect(await countRoundTrips(async () => (await api.registerQueue({})).queue_id ?? '')).toBe(3);
  });
});
