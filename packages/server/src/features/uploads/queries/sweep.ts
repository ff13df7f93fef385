import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { bigints } from '../../../core/bigints-sql.ts';
import { isLinked } from '../access-sql.ts';

const at = (time: Date) => sql`${time.toISOString()}::timestamptz`;

const isAsleep = sql`exists (select from realms r where r.id = u.realm_id and r.deactivated_at is not null)`;

/**
 * Stores since when uploads have no links: for those that have just lost their last link, now. In a deactivated
 * organization no message can be sent, so no time passes there.
 */
export async function updateUnlinkedSince(db: Db, now: Date): Promise<void> {
  await rows(
    db,
    sql`update uploads u set unlinked_since = null where u.unlinked_since is not null and (${isLinked} or ${isAsleep})`,
  );
  await rows(
    db,
    sql`update uploads u set unlinked_since = ${at(now)}
        where u.unlinked_since is null and not ${isLinked} and not ${isAsleep}`,
  );
}

/** The organizations that have uploads without links since before that time. */
export async function listRealmsToSweep(db: Db, before: Date): Promise<number[]> {
  const found = await rows<{ realm_id: number }>(
    db,
    sql`select distinct u.realm_id from uploads u join realms r on r.id = u.realm_id and r.deactivated_at is null
        where u.unlinked_since < ${at(before)}`,
  );
  return found.map(({ realm_id }) => realm_id);
}

export interface Swept {
  readonly id: number;
  readonly user_id: number;
  readonly size: number;
}

/**
 * Deletes uploads without links since before that time. They are locked first and checked again: a concurrent request
 * that links one holds it, and links of committed requests are seen.
 */
export async function deleteUnlinked(db: Db, realm_id: number, before: Date, limit: number): Promise<Swept[]> {
  const locked = await rows<{ id: number }>(
    db,
    sql`select id from uploads where realm_id = ${realm_id} and unlinked_since < ${at(before)}
        order by id limit ${limit} for update skip locked`,
  );
  if (locked.length === 0) return [];
  return rows(
    db,
    sql`delete from uploads u where u.realm_id = ${realm_id} and u.id = any(${bigints(locked.map(({ id }) => id))})
          and not ${isLinked}
        returning u.id, u.user_id, u.size`,
  );
}
