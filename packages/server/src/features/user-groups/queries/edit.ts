import { type Db, rows, sqlState, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, getTableColumns } from 'drizzle-orm';
import { abortAndRetry } from '../../../core/transaction.ts';
import type { GroupRow } from './groups.ts';

const { user_groups } = tables;
const { realm_id: _, ...columns } = getTableColumns(user_groups);

/** A group with its editable fields. */
export type EditableGroup = GroupRow & { description: string };

/**
 * Waits for other changes of the group and blocks them until the commit. The lock for deletion also blocks requests
 * that name the group in a setting.
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

/** The new group's id; undefined if the name is taken. */
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

/** Changes a group that is locked. If another request takes the name at this moment, the transaction is retried. */
export async function updateGroup(db: Db, realm_id: number, id: number, changes: Changes): Promise<void> {
  try {
    await db
      .update(user_groups)
      .set(changes)
      .where(and(eq(user_groups.realm_id, realm_id), eq(user_groups.id, id)));
  } catch (error) {
    if (sqlState(error) === '23505') abortAndRetry('Another request took the name meanwhile.');
    throw error;
  }
}

/** Deletes a group with its memberships, and removes it from the groups that contain it. */
export async function deleteGroup(db: Db, realm_id: number, id: number): Promise<void> {
  await db.delete(user_groups).where(and(eq(user_groups.realm_id, realm_id), eq(user_groups.id, id)));
}

/** The name of another group that only members of this one can mention, if there is one. */
export async function findMentionedBy(db: Db, realm_id: number, id: number): Promise<string | undefined> {
  const [other] = await rows<{ name: string }>(
    db,
    sql`select name from user_groups
        where realm_id = ${realm_id} and can_mention_group = ${id} and id <> ${id} order by id limit 1`,
  );
  return other?.name;
}
