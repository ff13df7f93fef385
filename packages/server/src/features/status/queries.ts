import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, type SQL } from 'drizzle-orm';
import { bigints } from '../../core/bigints-sql.ts';
import type { User } from '../../core/context.ts';
import { jsonRows } from '../../core/json-rows-sql.ts';
import type { Emoji } from '../emoji/index.ts';

const { user_status } = tables;

/** A user's status. Without an emoji, its name and code are empty. */
export interface StatusContent extends Emoji {
  readonly status_text: string;
}

/** A user's status, and whether their presence is hidden. */
export interface Status extends StatusContent {
  readonly user_id: number;
  readonly away: boolean;
}

// Being away is the setting `presence_enabled`, which is stored only when it is not the default.
const isAway = sql`coalesce((w.overrides->>'presence_enabled')::boolean = false, false)`;

const selectStatuses = (realm_id: number, among: SQL): SQL =>
  sql`select u.id as user_id, ${isAway} as away, coalesce(s.status_text, '') as status_text,
        coalesce(s.emoji_name, '') as emoji_name, coalesce(s.emoji_code, '') as emoji_code,
        coalesce(s.reaction_type, 'unicode_emoji') as reaction_type
      from users u
      left join user_status s on s.realm_id = u.realm_id and s.user_id = u.id
      left join user_settings w on w.realm_id = u.realm_id and w.user_id = u.id
      where u.realm_id = ${realm_id} ${among} and (s.user_id is not null or ${isAway}) order by u.id`;

/** The statuses of these users, by user id. Users without a status are absent. */
export async function listStatuses(db: Db, realm_id: number, user_ids: readonly number[]): Promise<Status[]> {
  return rows(db, selectStatuses(realm_id, sql`and u.id = any(${bigints(user_ids)})`));
}

/** The statuses of all users of an organization, as a JSON array. */
export const jsonStatuses = (realm_id: number): SQL => jsonRows(selectStatuses(realm_id, sql``));

/** Stores a user's status; absent fields stay unchanged. */
export async function updateStatusContent(
  db: Db,
  { realm_id, id: user_id }: Pick<User, 'realm_id' | 'id'>,
  said: Partial<StatusContent>,
): Promise<void> {
  await db
    .insert(user_status)
    .values({ realm_id, user_id, ...said })
    .onConflictDoUpdate({ target: [user_status.realm_id, user_status.user_id], set: said });
  const nothing = and(eq(user_status.status_text, ''), eq(user_status.emoji_name, ''));
  await db
    .delete(user_status)
    .where(and(eq(user_status.realm_id, realm_id), eq(user_status.user_id, user_id), nothing));
}
