import { type Db, tables } from '@parley/db';
import { and, eq } from 'drizzle-orm';
import type { User } from '../../core/context.ts';

const { users, user_settings } = tables;

export interface StoredSettings {
  timezone: string;
  email_address_visibility: number;
  /** What differs from the defaults; null when nothing ever did. */
  overrides: Record<string, unknown> | null;
}

/** A person's settings as they are stored, read in one statement. */
export async function findUserSettings(
  db: Db,
  { realm_id, id }: Pick<User, 'realm_id' | 'id'>,
): Promise<StoredSettings> {
  const [row] = await db
    .select({
      timezone: users.timezone,
      email_address_visibility: users.email_address_visibility,
      overrides: user_settings.overrides,
    })
    .from(users)
    .leftJoin(user_settings, and(eq(user_settings.realm_id, users.realm_id), eq(user_settings.user_id, users.id)))
    .where(and(eq(users.realm_id, realm_id), eq(users.id, id)));
  if (!row) throw new Error(`There is no user ${id}`);
  return row;
}
