import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { bigints } from '../../../core/bigints-sql.ts';

const idsOf = (found: readonly { id: number }[]): number[] => found.map(({ id }) => id);

/** The direct members of a group; ids ascend. */
export async function listDirectMemberIds(db: Db, realm_id: number, group_id: number): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select user_id as id from user_group_members
        where realm_id = ${realm_id} and group_id = ${group_id} order by user_id`,
  );
  return idsOf(found);
}

/** Those of these users who are direct members of a group. */
export async function listDirectMembersAmong(
  db: Db,
  realm_id: number,
  group_id: number,
  user_ids: readonly number[],
): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select user_id as id from user_group_members
        where realm_id = ${realm_id} and group_id = ${group_id} and user_id = any(${bigints(user_ids)})`,
  );
  return idsOf(found);
}

/** Adds users to a group that is locked and that none of them is in. */
export async function insertMembers(db: Db, realm_id: number, group_id: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(
    sql`insert into user_group_members (realm_id, group_id, user_id)
        select ${realm_id}::bigint, ${group_id}::bigint, id from unnest(${bigints(ids)}) as id`,
  );
}

export async function deleteMembers(db: Db, realm_id: number, group_id: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(
    sql`delete from user_group_members
        where realm_id = ${realm_id} and group_id = ${group_id} and user_id = any(${bigints(ids)})`,
  );
}
