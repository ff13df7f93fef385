import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SystemGroupName } from '../rules/system.ts';

interface Membership {
  realm_id: number;
  id: number;
}

/** Makes a user a direct member of system groups; returns those that the user was not in. */
export async function insertIntoSystemGroups(
  db: Db,
  { realm_id, id }: Membership,
  names: readonly SystemGroupName[],
): Promise<number[]> {
  const joined = await rows<{ group_id: number }>(
    db,
    sql`insert into user_group_members (realm_id, group_id, user_id)
        select realm_id, id, ${id}::bigint from user_groups
        where realm_id = ${realm_id} and is_system_group and name = any(${sql.param([...names])}::text[])
        on conflict do nothing returning group_id`,
  );
  return joined.map(({ group_id }) => group_id).sort((a, b) => a - b);
}

/** Removes a user from system groups; returns those that the user was in. */
export async function deleteFromSystemGroups(
  db: Db,
  { realm_id, id }: Membership,
  names: readonly SystemGroupName[],
): Promise<number[]> {
  const left = await rows<{ group_id: number }>(
    db,
    sql`delete from user_group_members m using user_groups g
        where m.realm_id = ${realm_id} and m.user_id = ${id} and g.realm_id = m.realm_id and g.id = m.group_id
          and g.is_system_group and g.name = any(${sql.param([...names])}::text[])
        returning m.group_id`,
  );
  return left.map(({ group_id }) => group_id).sort((a, b) => a - b);
}
