import { sql } from 'drizzle-orm';
import { type Database, type Db, rows } from './connect.ts';

// The number of Parley's advisory lock for a job.
const JOBS = 7_205_760;

/**
 * Milliseconds after which a process without contact to PostgreSQL loses its turn: its host has vanished, or it hangs.
 */
const SILENCE = 30_000;

/** Runs work that only one process may run at a time; returns false if another process is running it. */
export async function withTurn(
  database: Database,
  job: string,
  work: () => Promise<void>,
  silence = SILENCE,
): Promise<boolean> {
  // An embedded database belongs to one process, and a transaction held open here would block the work itself.
  if (database.kind === 'embedded') {
    await work();
    return true;
  }
  return database.db.transaction(async (tx) => {
    // The work has connections of its own, and this transaction waits for it.
    await tx.execute(sql.raw(`set local idle_in_transaction_session_timeout = ${silence}`));
    const [lock] = await rows<{ acquired: boolean }>(
      tx,
      sql`select pg_try_advisory_xact_lock(${JOBS}, hashtext(${job})) as acquired`,
    );
    if (lock?.acquired) await keepTransactionOpen(tx, silence, work);
    return lock?.acquired ?? false;
  });
}

async function keepTransactionOpen(tx: Db, silence: number, work: () => Promise<void>): Promise<void> {
  // A failed statement ends the transaction, and the commit reports that.
  const timer = setInterval(() => void tx.execute(sql`select 1`).catch(() => {}), silence / 4);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}
