import { sql } from 'drizzle-orm';
import { type Database, rows } from './connect.ts';

// Of Parley's advisory locks this number says: a job.
const JOBS = 7_205_760;

/** Does something that only one process may do at a time; false when another one is at it. */
export async function withTurn(database: Database, job: string, work: () => Promise<void>): Promise<boolean> {
  // An embedded database belongs to one process, and a transaction held open here would make its own work wait.
  if (database.kind === 'embedded') {
    await work();
    return true;
  }
  return database.db.transaction(async (tx) => {
    // The work has connections of its own, and this transaction waits for it.
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
    const [lock] = await rows<{ mine: boolean }>(
      tx,
      sql`select pg_try_advisory_xact_lock(${JOBS}, hashtext(${job})) as mine`,
    );
    if (lock?.mine) await work();
    return lock?.mine ?? false;
  });
}
