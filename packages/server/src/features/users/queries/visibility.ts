import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { isGuest } from '../../../access/roles-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';

/**
 * Whether guests of this organization see only users with whom they share a stream or conversation, by the present
 * setting.
 */
export async function isGuestVisibilityLimited(db: Db, realm_id: number): Promise<boolean> {
  const [row] = await rows<{ name: string }>(
    db,
    sql`select g.name from realm_settings s
        join user_groups g on g.realm_id = s.realm_id and g.id = (s.overrides->>'can_access_all_users_group')::bigint
        where s.realm_id = ${realm_id}`,
  );
  return row?.name === 'role:members';
}

/**
 * Which users share a stream or a direct conversation with which guests. Archived streams do not count. `guest_id`
 * limits the result to one guest, `user_ids` to the guests of these users.
 */
export async function listSharedWithGuests(
  db: Db,
  realm_id: number,
  { guest_id, user_ids }: { guest_id?: number; user_ids?: readonly number[] } = {},
): Promise<{ guest_id: number; user_id: number }[]> {
  return rows(
    db,
    sql`select distinct own.user_id as guest_id, others.user_id
        from users guest
        join memberships own on own.realm_id = guest.realm_id and own.user_id = guest.id and own.active
        join memberships others on others.realm_id = own.realm_id and others.conversation_id = own.conversation_id
          and others.active
        left join streams s on s.realm_id = own.realm_id and s.id = own.conversation_id
        where guest.realm_id = ${realm_id} and ${isGuest(sql`guest`)} and guest.is_active and s.archived_at is null
          ${guest_id === undefined ? sql`` : sql`and guest.id = ${guest_id}`}
          ${user_ids === undefined ? sql`` : sql`and others.user_id = any(${bigints(user_ids)})`}`,
  );
}

/** The role of every active account. */
export async function listActiveRoles(db: Db, realm_id: number): Promise<{ id: number; role: number }[]> {
  return rows(
    db,
    sql`select id, role from users where realm_id = ${realm_id} and is_active and not is_system_bot order by id`,
  );
}

/** The groups that these users are direct members of; ids ascend. */
export async function listGroupsOfUsers(
  db: Db,
  realm_id: number,
  user_ids: readonly number[],
): Promise<{ group_id: number; user_id: number }[]> {
  return rows(
    db,
    sql`select group_id, user_id from user_group_members
        where realm_id = ${realm_id} and user_id = any(${bigints(user_ids)}) order by group_id, user_id`,
  );
}
