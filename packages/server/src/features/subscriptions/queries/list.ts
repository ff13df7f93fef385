import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { isGuest } from '../../../access/roles-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import { jsonRows } from '../../../core/json-rows-sql.ts';

/** A present or former subscriber of a stream, with their settings for it. */
export interface Membership {
  readonly stream_id: number;
  readonly user_id: number;
  readonly active: boolean;
  readonly color: string | null;
  readonly is_muted: boolean;
  readonly pin_to_top: boolean;
  readonly desktop_notifications: boolean | null;
  readonly audible_notifications: boolean | null;
  readonly push_notifications: boolean | null;
  readonly email_notifications: boolean | null;
  readonly wildcard_mentions_notify: boolean | null;
}

export const membershipColumns = sql`m.conversation_id as stream_id, m.user_id, m.active, m.color, m.is_muted, m.pin_to_top,
  m.desktop_notifications, m.audible_notifications, m.push_notifications, m.email_notifications, m.wildcard_mentions_notify`;

/** The streams that a user is or was subscribed to. */
const selectMembershipsOf = (realm_id: number, user_id: number): SQL =>
  sql`select ${membershipColumns} from memberships m
      join streams s on s.realm_id = m.realm_id and s.id = m.conversation_id and s.archived_at is null
      where m.realm_id = ${realm_id} and m.user_id = ${user_id}`;

export const listMembershipsOf = (db: Db, realm_id: number, user_id: number): Promise<Membership[]> =>
  rows(db, selectMembershipsOf(realm_id, user_id));

export const jsonMembershipsOf = (realm_id: number, user_id: number): SQL =>
  jsonRows(selectMembershipsOf(realm_id, user_id));

export interface MembershipState {
  readonly stream_id: number;
  readonly user_id: number;
  readonly active: boolean;
}

/** Which of these users are, or were, subscribed to which of these streams. */
export async function listMembershipStates(
  db: Db,
  realm_id: number,
  stream_ids: readonly number[],
  user_ids: readonly number[],
): Promise<MembershipState[]> {
  if (stream_ids.length === 0) return [];
  return rows(
    db,
    sql`select conversation_id as stream_id, user_id, active from memberships
        where realm_id = ${realm_id} and conversation_id = any(${bigints(stream_ids)})
          and user_id = any(${bigints(user_ids)})`,
  );
}

/** The colors that each of these users has given to streams, including streams they left. */
export async function listColors(
  db: Db,
  realm_id: number,
  user_ids: readonly number[],
): Promise<Map<number, string[]>> {
  if (user_ids.length === 0) return new Map();
  const found = await rows<{ user_id: number; colors: string }>(
    db,
    sql`select user_id, string_agg(distinct color, ' ') as colors from memberships
        where realm_id = ${realm_id} and user_id = any(${bigints(user_ids)}) and color is not null group by user_id`,
  );
  return new Map(found.map(({ user_id, colors }) => [user_id, colors.split(' ')]));
}

/**
 * The subscribers of each of these streams, ascending. Deactivated accounts are included: clients know which users are
 * active.
 */
export async function listSubscribers(
  db: Db,
  realm_id: number,
  stream_ids: readonly number[],
): Promise<Map<number, number[]>> {
  if (stream_ids.length === 0) return new Map();
  const found = await rows<{ id: number; subscribers: string }>(
    db,
    sql`select conversation_id as id, string_agg(user_id::text, ',' order by user_id) as subscribers from memberships
        where realm_id = ${realm_id} and conversation_id = any(${bigints(stream_ids)}) and active
        group by conversation_id`,
  );
  return new Map(found.map(({ id, subscribers }) => [id, subscribers.split(',').map(Number)]));
}

/** The guests who are subscribed to these streams. */
export async function listGuests(
  db: Db,
  realm_id: number,
  stream_ids: readonly number[],
): Promise<Omit<MembershipState, 'active'>[]> {
  return rows(
    db,
    sql`select m.conversation_id as stream_id, m.user_id from memberships m
        join users u on u.realm_id = m.realm_id and u.id = m.user_id and ${isGuest(sql`u`)} and u.is_active
        where m.realm_id = ${realm_id} and m.conversation_id = any(${bigints(stream_ids)}) and m.active
        order by m.user_id, m.conversation_id`,
  );
}

/** The former subscribers of a stream, with their settings for it. */
export async function listFormerSubscribers(db: Db, realm_id: number, stream_id: number): Promise<Membership[]> {
  return rows(
    db,
    sql`select ${membershipColumns} from memberships m
        where m.realm_id = ${realm_id} and m.conversation_id = ${stream_id} and not m.active order by m.user_id`,
  );
}

/** All users who are not subscribed to a stream, deactivated accounts included. */
export async function listOutsiders(
  db: Db,
  realm_id: number,
  stream_id: number,
): Promise<{ id: number; role: number; is_active: boolean }[]> {
  return rows(
    db,
    sql`select u.id, u.role, u.is_active from users u
        where u.realm_id = ${realm_id} and not u.is_system_bot and not exists (
          select from memberships m
          where m.realm_id = u.realm_id and m.conversation_id = ${stream_id} and m.user_id = u.id and m.active
        ) order by u.id`,
  );
}
