import { type Db, defineQuery, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, inArray, type SQL } from 'drizzle-orm';
import type { User } from '../../core/context.ts';
import { jsonRows, jsonTime } from '../../core/json-rows-sql.ts';

const { user_presence, user_settings, users } = tables;

/** When and how a user was last present. */
export type Presence = Pick<typeof user_presence.$inferSelect, 'status' | 'last_active_at' | 'last_connected_at'>;

/** Whether other users see the user's presence, and the presence, if the user has ever had one. */
export interface PresenceState {
  readonly is_shown: boolean;
  readonly presence: Presence | undefined;
}

const presence = {
  status: user_presence.status,
  last_active_at: user_presence.last_active_at,
  last_connected_at: user_presence.last_connected_at,
};
const ofUser = and(eq(user_presence.realm_id, users.realm_id), eq(user_presence.user_id, users.id));

export async function findPresenceState(
  db: Db,
  { realm_id, id }: Pick<User, 'realm_id' | 'id'>,
): Promise<PresenceState> {
  const [row] = await db
    .select({
      // Stored only when it is not the default.
      is_shown: sql<boolean>`coalesce((${user_settings.overrides}->>'presence_enabled')::boolean, true)`,
      presence,
    })
    .from(users)
    .leftJoin(user_presence, ofUser)
    .leftJoin(user_settings, and(eq(user_settings.realm_id, users.realm_id), eq(user_settings.user_id, users.id)))
    .where(and(eq(users.realm_id, realm_id), eq(users.id, id)));
  return { is_shown: row?.is_shown ?? false, presence: row?.presence ?? undefined };
}

export interface UserPresence {
  readonly id: number;
  readonly delivery_email: string;
  readonly email_address_visibility: number;
  readonly presence: Presence;
}

const selectPresencesOf = (db: Db, among?: SQL) =>
  db
    .select({
      id: users.id,
      delivery_email: users.delivery_email,
      email_address_visibility: users.email_address_visibility,
      presence,
    })
    .from(users)
    .innerJoin(user_presence, ofUser)
    .where(and(eq(users.realm_id, sql.placeholder('realm_id')), eq(users.is_active, true), among))
    .orderBy(users.id);

const selectPresences = defineQuery<UserPresence, { realm_id: number }>('list_presences', (db) =>
  selectPresencesOf(db),
);
const selectPresencesByIds = defineQuery<UserPresence, { realm_id: number; ids: number[] }>(
  'list_presences_by_ids',
  (db) => selectPresencesOf(db, sql`${users.id} = any(${sql.placeholder('ids')}::bigint[])`),
);

/**
 * When these users, or all, were last active, by user id. Deactivated users, and users who were never active, are
 * absent.
 */
export async function listPresences(
  db: Db,
  realm_id: number,
  user_ids?: readonly number[],
): Promise<readonly UserPresence[]> {
  return user_ids ? selectPresencesByIds(db, { realm_id, ids: [...user_ids] }) : selectPresences(db, { realm_id });
}

/** A presence within a JSON array, with times in milliseconds. */
export interface JsonPresence extends Omit<UserPresence, 'presence'> {
  readonly status: Presence['status'];
  readonly last_active_at: number | null;
  readonly last_connected_at: number;
}

/** The same as a JSON array; without `user_ids`, of all users. */
export function jsonPresences(realm_id: number, user_ids: readonly number[] | null): SQL {
  const ids = sql`${sql.param(user_ids && [...user_ids])}::bigint[]`;
  return jsonRows(sql`select u.id, u.delivery_email, u.email_address_visibility, p.status,
        ${jsonTime(sql`p.last_active_at`)} as last_active_at, ${jsonTime(sql`p.last_connected_at`)} as last_connected_at
      from users u join user_presence p on p.realm_id = u.realm_id and p.user_id = u.id
      where u.realm_id = ${realm_id} and u.is_active and (${ids} is null or u.id = any(${ids})) order by u.id`);
}

export const toUserPresence = ({ status, last_active_at, last_connected_at, ...user }: JsonPresence): UserPresence => ({
  ...user,
  presence: {
    status,
    last_active_at: last_active_at === null ? null : new Date(last_active_at),
    last_connected_at: new Date(last_connected_at),
  },
});

export async function updatePresenceOf(
  db: Db,
  { realm_id, id: user_id }: Pick<User, 'realm_id' | 'id'>,
  { status, last_active_at, last_connected_at }: Presence,
): Promise<void> {
  const set = { status, last_active_at, last_connected_at };
  await db
    .insert(user_presence)
    .values({ realm_id, user_id, ...set })
    .onConflictDoUpdate({ target: [user_presence.realm_id, user_presence.user_id], set });
}

export async function deletePresences(db: Db, realm_id: number, user_ids: readonly number[]): Promise<void> {
  await db
    .delete(user_presence)
    .where(and(eq(user_presence.realm_id, realm_id), inArray(user_presence.user_id, [...user_ids])));
}
