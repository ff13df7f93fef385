import { type Db, defineQuery, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, type SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { Schema } from '../../../core/contract.ts';
import { systemGroups } from '../rules/system.ts';

const { user_groups } = tables;
export type GroupRow = Omit<typeof user_groups.$inferSelect, 'realm_id' | 'description'>;
const columns = {
  id: user_groups.id,
  name: user_groups.name,
  is_system_group: user_groups.is_system_group,
  can_mention_group: user_groups.can_mention_group,
};

/**
 * Inserts the groups in ascending id order. No user can mention them; each, from owners on, is a subgroup of the next.
 */
export async function insertSystemGroups(db: Db, realm_id: number): Promise<void> {
  const made = await db
    .insert(user_groups)
    .values(systemGroups.map((group) => ({ realm_id, is_system_group: true, ...group })))
    .returning(columns);
  const ids = made.map(({ id }) => id).sort((a, b) => a - b);
  const [nobodyGroup, ...chain] = ids;
  await db.update(user_groups).set({ can_mention_group: nobodyGroup }).where(eq(user_groups.realm_id, realm_id));
  await db
    .insert(tables.user_group_subgroups)
    .values(chain.slice(1).map((group_id, n) => ({ realm_id, group_id, subgroup_id: chain[n] as number })));
}

const selectGroups = (db: Db, which: SQL) =>
  db
    .select(columns)
    .from(user_groups)
    .where(and(eq(user_groups.realm_id, sql.placeholder('realm_id')), which))
    .orderBy(user_groups.id);

const selectSystemGroups = defineQuery<GroupRow, { realm_id: number }>('list_system_groups', (db) =>
  selectGroups(db, eq(user_groups.is_system_group, true)),
);
const selectByNames = defineQuery<GroupRow, { realm_id: number; names: string[] }>('list_groups_by_names', (db) =>
  selectGroups(db, sql`${user_groups.name} = any(${sql.placeholder('names')}::text[])`),
);
const selectGroup = (lock?: 'key share') =>
  defineQuery<GroupRow, { realm_id: number; id: number }>(`find_group_${lock}`, (db) => {
    const query = selectGroups(db, eq(user_groups.id, sql.placeholder('id')));
    return lock ? query.for(lock) : query;
  });
const groupOf = { none: selectGroup(), 'key share': selectGroup('key share') };

export async function listSystemGroups(db: Db, realm_id: number): Promise<GroupRow[]> {
  return selectSystemGroups(db, { realm_id });
}

/** The group; with `key share` it cannot be deleted before the commit. */
export async function findGroup(
  db: Db,
  realm_id: number,
  id: number,
  lock?: 'key share',
): Promise<GroupRow | undefined> {
  const [group] = await groupOf[lock ?? 'none'](db, { realm_id, id });
  return group;
}

/** The groups with these names, case-sensitive. */
export async function listGroupsByNames(db: Db, realm_id: number, names: readonly string[]): Promise<GroupRow[]> {
  if (names.length === 0) return [];
  return selectByNames(db, { realm_id, names: [...names] });
}

/** All groups in the documented shape, by id. */
export async function listGroups(db: Db, realm_id: number): Promise<Schema<'UserGroup'>[]> {
  return rows(
    db,
    sql`select g.id, g.name, g.description, g.is_system_group, coalesce(g.can_mention_group, g.id) as can_mention_group,
          coalesce((select jsonb_agg(m.user_id order by m.user_id) from user_group_members m
                    where m.realm_id = g.realm_id and m.group_id = g.id), '[]') as members,
          coalesce((select jsonb_agg(s.subgroup_id order by s.subgroup_id) from user_group_subgroups s
                    where s.realm_id = g.realm_id and s.group_id = g.id), '[]') as direct_subgroup_ids
        from user_groups g where g.realm_id = ${realm_id} order by g.id`,
  );
}

/** Each of these groups with all groups inside it, as a common table expression `inside (root, id)`. */
export const selectNestedGroups = (realm_id: number, group_ids: readonly number[]) => sql`
  inside (root, id) as (
    select g, g from unnest(${bigints(group_ids)}) as g
    union
    select i.root, s.subgroup_id from inside i
    join user_group_subgroups s on s.realm_id = ${realm_id} and s.group_id = i.id
  )`;

/** Whether a user is in a group or in a group inside it. */
export async function isInGroup(db: Db, realm_id: number, group_id: number, user_id: number): Promise<boolean> {
  const found = await rows(
    db,
    sql`with recursive ${selectNestedGroups(realm_id, [group_id])}
        select 1 from user_group_members m join inside i on i.id = m.group_id
        where m.realm_id = ${realm_id} and m.user_id = ${user_id} limit 1`,
  );
  return found.length > 0;
}

/** The users in each of these groups, or in a group inside it; ids ascend. */
export async function listGroupMemberIds(
  db: Db,
  realm_id: number,
  group_ids: readonly number[],
): Promise<Map<number, number[]>> {
  const members = new Map<number, number[]>(group_ids.map((id) => [id, []]));
  if (group_ids.length === 0) return members;
  const found = await rows<{ root: number; user_id: number }>(
    db,
    sql`with recursive ${selectNestedGroups(realm_id, group_ids)}
        select distinct i.root, m.user_id from inside i
        join user_group_members m on m.realm_id = ${realm_id} and m.group_id = i.id order by i.root, m.user_id`,
  );
  for (const { root, user_id } of found) members.get(root)?.push(user_id);
  return members;
}
