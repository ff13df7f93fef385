import { type Db, defineQuery, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, type SQL } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';

const { drafts, users, user_settings } = tables;

/** The settings of a user that differ from the defaults; null when none was ever changed. */
export type UserOverrides = Record<string, unknown> | null;

export interface StoredSettings {
  timezone: string;
  email_address_visibility: number;
  overrides: UserOverrides;
}

const selectUserSettings = defineQuery<StoredSettings, { realm_id: number; id: number }>('find_user_settings', (db) =>
  db
    .select({
      timezone: users.timezone,
      email_address_visibility: users.email_address_visibility,
      overrides: user_settings.overrides,
    })
    .from(users)
    .leftJoin(user_settings, and(eq(user_settings.realm_id, users.realm_id), eq(user_settings.user_id, users.id)))
    .where(and(eq(users.realm_id, sql.placeholder('realm_id')), eq(users.id, sql.placeholder('id')))),
);

/** A user's settings that differ from the defaults, as a JSON object; null when none was ever changed. */
export const jsonUserOverrides = ({ realm_id, id }: { readonly realm_id: number; readonly id: number | SQL }): SQL =>
  sql`(select overrides from user_settings where realm_id = ${realm_id} and user_id = ${id})`;

/** A user's settings as they are stored, read in one statement. */
export async function findUserSettings(
  db: Db,
  { realm_id, id }: Pick<User, 'realm_id' | 'id'>,
): Promise<StoredSettings> {
  const [row] = await selectUserSettings(db, { realm_id, id });
  if (!row) throw new Error(`There is no user ${id}`);
  return row;
}

/** Stores settings of a user whose account is locked. */
export async function updateUserSettings(
  db: Db,
  { realm_id, id }: Pick<User, 'realm_id' | 'id'>,
  { timezone, email_address_visibility, ...overrides }: Partial<Schema<'UserSettings'>>,
): Promise<void> {
  if (timezone !== undefined || email_address_visibility !== undefined) {
    await db
      .update(users)
      .set({ timezone, email_address_visibility })
      .where(and(eq(users.realm_id, realm_id), eq(users.id, id)));
  }
  if (Object.keys(overrides).length === 0) return;
  await db
    .insert(user_settings)
    .values({ realm_id, user_id: id, overrides })
    .onConflictDoUpdate({
      target: [user_settings.realm_id, user_settings.user_id],
      set: { overrides: sql`${user_settings.overrides} || excluded.overrides` },
    });
}

/** Deletes a user's drafts. */
export async function deleteDraftsOf(db: Db, { realm_id, id }: Pick<User, 'realm_id' | 'id'>): Promise<void> {
  await db.delete(drafts).where(and(eq(drafts.realm_id, realm_id), eq(drafts.user_id, id)));
}
