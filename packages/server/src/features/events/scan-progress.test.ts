// How far the log was read for a queue is stored in its row, also while something else has the row.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { ScanProgress } from './scan-progress.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

async function registerQueue(progress: ScanProgress): Promise<{ id: string; newest: number }> {
  const [ada] = await chat.users('ada');
  const { queue_id: id } = await ada.api.registerQueue({ event_types: ['message'] });
  const newest = 1_000_000;
  progress.note({ queue: { realm_id: chat.realm.id, id }, passed: newest, stored: 0 });
  return { id, newest };
}

async function findScanned(id: string): Promise<number | undefined> {
  const { db } = chat.database;
  const [row] = await rows<{ scanned: number }>(db, sql`select scanned from event_queues where id = ${id}`);
  return row?.scanned;
}

test('when a call resolves, what an earlier one is storing is stored', async () => {
  const progress = new ScanProgress();
  const { id, newest } = await registerQueue(progress);
  const { db } = chat.database;
  const earlier = progress.save(db);
  await progress.save(db);
  expect(await findScanned(id)).toBe(newest);
  await earlier;
});

test.runIf(onPostgres)('a locked row does not delay the others, and is stored by the next call', async () => {
  const progress = new ScanProgress();
  const [locked, other] = [await registerQueue(progress), await registerQueue(progress)];
  const { db } = chat.database;
  await db.transaction(async (tx) => {
    await rows(tx, sql`select 1 from event_queues where id = ${locked.id} for update`);
    await progress.save(db);
    expect([await findScanned(locked.id), await findScanned(other.id)]).toEqual([0, other.newest]);
  });
  await progress.save(db);
  expect(await findScanned(locked.id)).toBe(locked.newest);
});

test('a queue that is gone is forgotten', async () => {
  const progress = new ScanProgress();
  const { id } = await registerQueue(progress);
  const { db } = chat.database;
  await rows(db, sql`delete from event_queues where id = ${id}`);
  await progress.save(db);
  const statements = await chat.statements(() => progress.save(db));
  expect([statements, progress.take(id)]).toEqual([0, 0]);
});
