import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';

// Conversations are locked by ascending ids everywhere, so that two requests cannot deadlock.
async function lock(db: Db, realm_id: number, which: SQL): Promise<Set<number>> {
  const locked = await rows<{ id: number }>(
    db,
    sql`select c.id from conversations c join streams s on s.realm_id = c.realm_id and s.id = c.id
        where c.realm_id = ${realm_id} and (${which}) order by c.id for no key update of c`,
  );
  return new Set(locked.map(({ id }) => id));
}

/** Locks the streams of these names (`streamKey`) and, if it is given, one more: their subscribers do not change. */
export function lockStreamsByKeys(db: Db, realm_id: number, keys: readonly string[], also = 0): Promise<Set<number>> {
  return lock(
    db,
    realm_id,
    sql`s.archived_at is null and (s.name_key = any(${sql.param([...keys])}::text[]) or s.id = ${also}::bigint)`,
  );
}

export function lockDefaultStreams(db: Db, realm_id: number): Promise<Set<number>> {
  return lock(db, realm_id, sql`s.archived_at is null and s.is_default`);
}
