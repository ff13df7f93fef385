// Requests that meet: how a test makes two of them run at the same moment, in an order of its choice.
import { rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Chat } from './chat.ts';

/**
 * Does things while nobody in the organization can tell anything: each of them is done but for telling, or waits for one
 * before it, when the next begins. They come through in the order of the list. An embedded database does one thing at a
 * time, so there is nothing to hold up. Gives what became of each.
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
      await expect.poll(async () => ended + (await waiting(chat)), { interval: 5 }).toBe(begun.length);
    }
  });
  return Promise.allSettled(begun);
}

/** Requests that wait for another in this database. */
async function waiting({ database }: Chat): Promise<number> {
  const found = await rows(
    database.db,
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return found.length;
}
