import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { lt } from 'drizzle-orm';

/** The count of a key, and when its window ends. */
export interface Count {
  readonly points: number;
  readonly expire: Date;
}

interface CountRow {
  readonly points: number;
  readonly expire: string;
}

/** In JSON form: with the offset, independent of the session. */
const columns = sql`points, to_json(expire) #>> '{}' as expire`;
const toCount = ({ points, expire }: CountRow): Count => ({ points, expire: new Date(expire) });

/** Adds to the count of the key. If the window has expired at `now`, or without `now`, a new window replaces it. */
export async function upsertCount(
  db: Db,
  { key, points, expire }: Count & { readonly key: string },
  now: Date | undefined,
): Promise<Count> {
  const isCurrent = now ? sql`rate_limits.expire > ${now.toISOString()}::timestamptz` : sql`false`;
  const [row] = await rows<CountRow>(
    db,
    sql`insert into rate_limits (key, points, expire) values (${key}, ${points}::int, ${expire.toISOString()}::timestamptz)
        on conflict (key) do update set
          points = excluded.points + case when ${isCurrent} then rate_limits.points else 0 end,
          expire = case when ${isCurrent} then rate_limits.expire else excluded.expire end
        returning ${columns}`,
  );
  if (!row) throw new Error('unreachable');
  return toCount(row);
}

export async function findCount(db: Db, key: string, now: Date): Promise<Count | undefined> {
  const [row] = await rows<CountRow>(
    db,
    sql`select ${columns} from rate_limits where key = ${key} and expire > ${now.toISOString()}::timestamptz`,
  );
  return row && toCount(row);
}

/** Deletes expired windows. */
export async function deleteExpiredLimits(db: Db, now: Date): Promise<void> {
  await db.delete(tables.rate_limits).where(lt(tables.rate_limits.expire, now));
}

/** Writes a row without meaning: it fails while the database rejects writes. */
export async function writeProbe(db: Db, now: Date): Promise<void> {
  const row = { points: 0, expire: now };
  await db
    .insert(tables.rate_limits)
    .values({ key: 'write_probe', ...row })
    .onConflictDoUpdate({ target: tables.rate_limits.key, set: row });
}
