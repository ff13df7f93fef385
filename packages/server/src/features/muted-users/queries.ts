import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, type SQL } from 'drizzle-orm';
import { jsonRows } from '../../core/json-rows-sql.ts';

const { muted_users } = tables;

/** A user and a user whom they muted. */
export interface Mute {
  readonly realm_id: number;
  readonly user_id: number;
  readonly muted_user_id: number;
}

/** Returns false if the user is muted already. */
export async function insertMute(db: Db, mute: Mute, muted_at: Date): Promise<boolean> {
  const inserted = await db
    .insert(muted_users)
    .values({ ...mute, muted_at })
    .onConflictDoNothing()
    .returning({ user_id: muted_users.user_id });
  return inserted.length > 0;
}

/** Returns false if the user was not muted. */
export async function deleteMute(db: Db, { realm_id, user_id, muted_user_id }: Mute): Promise<boolean> {
  const deleted = await db
    .delete(muted_users)
    .where(
      and(
        eq(muted_users.realm_id, realm_id),
        eq(muted_users.user_id, user_id),
        eq(muted_users.muted_user_id, muted_user_id),
      ),
    )
    .returning({ user_id: muted_users.user_id });
  return deleted.length > 0;
}

export interface MutedUser {
  readonly id: number;
  /** UNIX time in seconds. */
  readonly timestamp: number;
}

/** The users whom an account has muted, in the order of muting. */
const selectMuted = (realm_id: number, user_id: number): SQL =>
  sql`select muted_user_id as id, floor(extract(epoch from muted_at))::int as timestamp from muted_users
      where realm_id = ${realm_id} and user_id = ${user_id} order by muted_at, muted_user_id`;

export const listMuted = (db: Db, realm_id: number, user_id: number): Promise<MutedUser[]> =>
  rows(db, selectMuted(realm_id, user_id));

export const jsonMuted = (realm_id: number, user_id: number): SQL => jsonRows(selectMuted(realm_id, user_id));
