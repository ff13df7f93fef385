import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';

export async function updateRealmOverrides(db: Db, realm_id: number, changes: Record<string, unknown>): Promise<void> {
  await db.execute(
    sql`update realm_settings set overrides = overrides || ${JSON.stringify(changes)}::jsonb where realm_id = ${realm_id}`,
  );
}

/** Deactivates an organization at `at`, or reactivates it. Returns false if nothing changed. */
export async function updateRealmDeactivated(db: Db, realm_id: number, at: Date | null): Promise<boolean> {
  const changed = await rows(
    db,
    sql`update realms set deactivated_at = ${at?.toISOString() ?? null}::timestamptz
        where id = ${realm_id} and (deactivated_at is null) = ${at !== null}::boolean returning id`,
  );
  return changed.length > 0;
}

/** Whether there is a stream with this id that has not been archived. */
export async function isStream(db: Db, realm_id: number, id: number): Promise<boolean> {
  const found = await rows(
    db,
    sql`select 1 from streams where realm_id = ${realm_id} and id = ${id} and archived_at is null`,
  );
  return found.length > 0;
}
