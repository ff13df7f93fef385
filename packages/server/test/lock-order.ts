// Concurrent requests: how a test runs several of them at the same time, in an order of its choice.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { expect } from 'vitest';
import type { Chat } from './chat.ts';

/**
 * Runs requests while the clock of the organization is locked: each waits before it emits, or for an earlier one, when
 * the next begins. They commit in the order of the list. An embedded database runs one transaction at a time, so
 * nothing has to wait. Returns the results.
 */
export async function runInLockOrder(chat: Chat, things: readonly (() => Promise<unknown>)[]) {
  const begun: Promise<unknown>[] = [];
  if (chat.database.kind === 'embedded') return Promise.allSettled(things.map((thing) => thing()));
  let ended = 0;
  await chat.database.db.transaction(async (tx) => {
    await tx.execute(sql`select from realm_clock where realm_id = ${chat.realm.id} for update`);
    for (const thing of things) {
      begun.push(thing());
      const end = () => void ended++;
      begun.at(-1)?.then(end, end);
      await expect.poll(async () => ended + (await countLockWaits(chat)), { interval: 5 }).toBe(begun.length);
    }
  });
  return Promise.allSettled(begun);
}

/** The number of requests in this database that wait for a lock. */
export async function countLockWaits({ database }: Pick<Chat, 'database'>): Promise<number> {
  const found = await rows(
    database.db,
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return found.length;
}
