import { sql } from 'drizzle-orm';
import { type Database, type Db, rows } from './connect.ts';

// Of Parley's advisory locks this number says: a job.
const JOBS = 7_205_760;

/** Milliseconds after which a process loses its turn that PostgreSQL hears nothing of: its host has vanished, or it hangs. */
const SILENCE = 30_000;

/** Does something that only one process may do at a time; false when another one is at it. */
export async function withTurn(
  database: Database,
  job: string,
  work: () => Promise<void>,
  silence = SILENCE,
): Promise<boolean> {
  // An embedded database belongs to one process, and a transaction held open here would make its own work wait.
  if (database.kind === 'embedded') {
    await work();
    return true;
  }
  return database.db.transaction(async (tx) => {
    // The work has connections of its own, and this transaction waits for it.
    await tx.execute(sql.raw(`set local idle_in_transaction_session_timeout = ${silence}`));
    const [lock] = await rows<{ mine: boolean }>(
      tx,
      sql`select pg_try_advisory_xact_lock(${JOBS}, hashtext(${job})) as mine`,
    );
    if (lock?.mine) await keepTransactionOpen(tx, silence, work);
    return lock?.mine ?? false;
  });
}

async function keepTransactionOpen(tx: Db, silence: number, work: () => Promise<void>): Promise<void> {
  // A statement that fails ends the transaction, and the commit reports that.
  const timer = setInterval(() => void tx.execute(sql`select 1`).catch(() => {}), silence / 4);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}
