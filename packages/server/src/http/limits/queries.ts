import { type Db, tables } from '@parley/db';
import { lt } from 'drizzle-orm';

/** Drops windows that are over. */
export async function forgetSpentLimits(db: Db, now: Date): Promise<void> {
  await db.delete(tables.rate_limits).where(lt(tables.rate_limits.expire, now));
}

/** Writes a row that says nothing: fails while the database takes no writes. */
export async function writeProbe(db: Db, now: Date): Promise<void> {
  const row = { points: 0, expire: now };
  await db
    .insert(tables.rate_limits)
    .values({ key: 'write_probe', ...row })
    .onConflictDoUpdate({ target: tables.rate_limits.key, set: row });
}
