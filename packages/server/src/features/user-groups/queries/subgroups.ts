import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { bigints } from '../../../core/bigints-sql.ts';
import { selectNestedGroups } from './groups.ts';

const idsOf = (found: readonly { id: number }[]): number[] => found.map(({ id }) => id);

/**
 * Serializes requests that add groups to groups: a cycle can run through groups that neither of two requests names. The
 * lock on the row represents all groups; nothing else takes it.
 */
export async function lockSubgroups(db: Db, realm_id: number): Promise<void> {
  await db.execute(
    sql`select from user_groups where realm_id = ${realm_id} and name = 'role:nobody' for no key update`,
  );
}

/** Those of these ids that are groups, locked so that they exist until the commit. */
export async function listGroupsAmong(db: Db, realm_id: number, ids: readonly number[]): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select id from user_groups where realm_id = ${realm_id} and id = any(${bigints(ids)}) order by id for key share`,
  );
  return idsOf(found);
}

/** The groups directly in a group; ids ascend. */
export async function listDirectSubgroupIds(db: Db, realm_id: number, group_id: number): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select subgroup_id as id from user_group_subgroups
        where realm_id = ${realm_id} and group_id = ${group_id} order by subgroup_id`,
  );
  return idsOf(found);
}

/** The groups in a group, at any depth; ids ascend. */
export async function listSubgroupIds(db: Db, realm_id: number, group_id: number): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`with recursive ${selectNestedGroups(realm_id, [group_id])} select id from inside where id <> ${group_id} order by id`,
  );
  return idsOf(found);
}

/** One of these groups that contains `group_id`, or is it. */
export async function findContaining(
  db: Db,
  realm_id: number,
  ids: readonly number[],
  group_id: number,
): Promise<number | undefined> {
  const [found] = await rows<{ id: number }>(
    db,
    // Walks upwards from the group: the cost depends on the groups that contain it, and not on the groups given.
    sql`with recursive around (id) as (
          select ${group_id}::bigint
          union
          select s.group_id from around join user_group_subgroups s on s.realm_id = ${realm_id} and s.subgroup_id = around.id
        )
        select id from around where id = any(${bigints(ids)}) order by id limit 1`,
  );
  return found?.id;
}

/** Adds groups to a group that is locked and that none of them is in. */
export async function insertSubgroups(
  db: Db,
  realm_id: number,
  group_id: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(
    sql`insert into user_group_subgroups (realm_id, group_id, subgroup_id)
        select ${realm_id}::bigint, ${group_id}::bigint, id from unnest(${bigints(ids)}) as id`,
  );
}

export async function deleteSubgroups(
  db: Db,
  realm_id: number,
  group_id: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await db.execute(
    sql`delete from user_group_subgroups
        where realm_id = ${realm_id} and group_id = ${group_id} and subgroup_id = any(${bigints(ids)})`,
  );
}
