// The weekly traffic of a stream with thousands of messages: its cost does not depend on their number.
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from './chat.ts';
import { countReads, repeatMessage } from './fixtures/large-organization.ts';

const BUSY = 21_000;
/** Rows that a request can read of a table. */
const MOST = 300;

let chat: Chat;
let ada: TestUser;
let busy: number;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  ada = await chat.user('ada', { mirrored: false });
  busy = await chat.stream('busy', { by: ada });
  await repeatMessage(chat, await chat.message({ from: ada, to: 'busy' }), BUSY);
  await chat.database.db.execute(sql`update streams set created_at = created_at - interval '60 days'`);
  await chat.database.db.execute(sql`vacuum analyze`);
});
afterAll(() => chat.close());

async function readTraffic() {
  // It is computed again after a change of a stream.
  await chat.owner.api.updateStream({ stream_id: busy, description: `Bread ${Math.random()}` });
  const before = await countReads(chat);
  const { streams } = await ada.api.getStreams();
  const read = ((await countReads(chat)).get('messages') ?? 0) - (before.get('messages') ?? 0);
  return { read, traffic: streams.find(({ stream_id }) => stream_id === busy)?.stream_weekly_traffic };
}

test('the weekly traffic of a busy stream has two digits, and reads few of its messages', async () => {
  const { read, traffic } = await readTraffic();
  // 21,000 in four weeks, and the notices of changes.
  expect(traffic).toBe(5300);
  expect(read).toBeLessThan(MOST);
});

test('the weekly traffic of streams reads the messages of the last four weeks', async () => {
  const { db } = chat.database;
  await db.execute(
    sql`update messages set sent_at = sent_at - interval '60 days' where id <= (select max(id) - 50 from messages)`,
  );
  await db.execute(sql`vacuum messages`);
  const { read, traffic } = await readTraffic();
  expect(traffic).toBeGreaterThan(0);
  expect(traffic).toBeLessThan(50);
  expect(read).toBeLessThan(MOST);
});
