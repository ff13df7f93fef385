import { type Db, tables } from '@parley/db';
import { lt } from 'drizzle-orm';

/** Drops windows that are over. */
export async function forgetSpentLimits(db: Db, now: Date): Promise<void> {
  await db.delete(tables.rate_limits).where(lt(tables.rate_limits.expire, now));
}
