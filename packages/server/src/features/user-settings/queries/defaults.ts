import { type Db, defineQuery, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { eq, type SQL } from 'drizzle-orm';

const { realm_user_settings_defaults: defaults } = tables;

const selectDefaults = defineQuery<{ overrides: Record<string, unknown> }, { realm_id: number }>(
  'find_default_overrides',
  (db) =>
    db
      .select({ overrides: defaults.overrides })
      .from(defaults)
      .where(eq(defaults.realm_id, sql.placeholder('realm_id'))),
);

/** The settings of an organization for new users, as a JSON object; null if there are none. */
export const jsonDefaultOverrides = (realm_id: number): SQL =>
  sql`(select overrides from realm_user_settings_defaults where realm_id = ${realm_id})`;

/** The settings of an organization for new users. */
export async function findDefaultOverrides(db: Db, realm_id: number): Promise<Record<string, unknown>> {
  const [row] = await selectDefaults(db, { realm_id });
  return row?.overrides ?? {};
}

export async function updateDefaultOverrides(
  db: Db,
  realm_id: number,
  overrides: Record<string, unknown>,
): Promise<void> {
  await db
    .insert(defaults)
    .values({ realm_id, overrides })
    .onConflictDoUpdate({
      target: defaults.realm_id,
      set: { overrides: sql`${defaults.overrides} || excluded.overrides` },
    });
}
