import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { isMember } from '../../../access/roles-sql.ts';

/** Adds the members who joined by `cutoff` to the group; returns those added. */
export async function insertFullMembers(db: Db, realm_id: number, group_id: number, cutoff: Date): Promise<number[]> {
  const joined = await rows<{ user_id: number }>(
    db,
    sql`insert into user_group_members (realm_id, group_id, user_id)
        select u.realm_id, ${group_id}::bigint, u.id from users u
        where u.realm_id = ${realm_id} and ${isMember(sql`u`)} and not u.is_system_bot
          and u.date_joined <= ${cutoff.toISOString()}::timestamptz
        on conflict do nothing returning user_id`,
  );
  return joined.map(({ user_id }) => user_id);
}

/** Removes the members who joined after `cutoff` from the group; returns those removed. */
export async function deleteNewMembers(db: Db, realm_id: number, group_id: number, cutoff: Date): Promise<number[]> {
  const left = await rows<{ user_id: number }>(
    db,
    sql`delete from user_group_members m using users u
        where m.realm_id = ${realm_id} and m.group_id = ${group_id} and u.realm_id = m.realm_id and u.id = m.user_id
          and (not ${isMember(sql`u`)} or u.date_joined > ${cutoff.toISOString()}::timestamptz)
        returning m.user_id`,
  );
  return left.map(({ user_id }) => user_id);
}
