import { type Db, rows, sqlState, tables } from '@parley/db';
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { abortAndRetry } from '../../../core/transaction.ts';
import type { GroupRow } from './groups.ts';

const { user_groups } = tables;
const { realm_id: _, ...columns } = getTableColumns(user_groups);

/** A group with all that can be changed of it. */
export type EditableGroup = GroupRow & { description: string };

/**
 * Waits for whoever is changing the group, and keeps others from it until the commit: from changing it, and before it is
 * deleted also from giving it to a setting.
 */
export async function lockGroup(
  db: Db,
  realm_id: number,
  id: number,
  strength: 'no key update' | 'update',
): Promise<EditableGroup | undefined> {
  const [group] = await db
    .select(columns)
    .from(user_groups)
    .where(and(eq(user_groups.realm_id, realm_id), eq(user_groups.id, id)))
    .for(strength);
  return group;
}

/** The new group's id, or nothing if the name is taken. */
export async function insertGroup(
  db: Db,
  realm_id: number,
  group: { name: string; description: string; can_mention_group: number },
): Promise<number | undefined> {
  const [made] = await db
    .insert(user_groups)
    .values({ realm_id, is_system_group: false, ...group })
    .onConflictDoNothing()
    .returning({ id: user_groups.id });
  return made?.id;
}

type Changes = Partial<Pick<EditableGroup, 'name' | 'description' | 'can_mention_group'>>;

/** Changes a group that is locked. When another request takes the name at this moment, this one starts again. */
export async function updateGroup(db: Db, realm_id: number, id: number, changes: Changes): Promise<void> {
  try {
    await db
      .update(user_groups)
      .set(changes)
      .where(and(eq(user_groups.realm_id, realm_id), eq(user_groups.id, id)));
  } catch (error) {
    if (sqlState(error) === '23505') abortAndRetry('The name was taken meanwhile.');
    throw error;
  }
}

/** Deletes a group with its memberships, and takes it out of the groups that it is inside. */
export async function deleteGroup(db: Db, realm_id: number, id: number): Promise<void> {
  await db.delete(user_groups).where(and(eq(user_groups.realm_id, realm_id), eq(user_groups.id, id)));
}

/** The name of another group that only members of this one may mention, if there is such a group. */
export async function findMentionedBy(db: Db, realm_id: number, id: number): Promise<string | undefined> {
  const [other] = await rows<{ name: string }>(
    db,
    sql`select name from user_groups
        where realm_id = ${realm_id} and can_mention_group = ${id} and id <> ${id} order by id limit 1`,
  );
  return other?.name;
}
