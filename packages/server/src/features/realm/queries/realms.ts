import { type Db, defineQuery, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { eq, type SQL } from 'drizzle-orm';

const { realms, realm_settings } = tables;

/** The columns of `realms` and `realm_settings` that requests need. */
export const realmColumns = {
  id: realms.id,
  subdomain: realms.subdomain,
  key_salt: realms.key_salt,
  created_at: realms.created_at,
  deactivated_at: realms.deactivated_at,
  overrides: realm_settings.overrides,
  limits_guests: sql<boolean>`exists (
    select from user_groups g where g.realm_id = ${realms.id} and g.name = 'role:members'
      and g.id = (${realm_settings.overrides}->>'can_access_all_users_group')::bigint
  )`,
  has_linkifiers: sql<boolean>`exists (select from linkifiers l where l.realm_id = ${realms.id})`,
  last_event_id: sql<number>`(select c.last_event_id from realm_clock c where c.realm_id = ${realms.id})`,
};

export interface RealmRow {
  id: number;
  subdomain: string;
  key_salt: string;
  created_at: Date;
  deactivated_at: Date | null;
  overrides: Record<string, unknown>;
  limits_guests: boolean;
  has_linkifiers: boolean;
  last_event_id: number;
}

const selectRealm = (db: Db, which: SQL) =>
  db.select(realmColumns).from(realms).innerJoin(realm_settings, eq(realm_settings.realm_id, realms.id)).where(which);

const selectRealmBySubdomain = defineQuery<RealmRow, { subdomain: string }>('find_realm_by_subdomain', (db) =>
  selectRealm(db, eq(realms.subdomain, sql.placeholder('subdomain'))),
);
const selectRealmById = defineQuery<RealmRow, { id: number }>('find_realm_by_id', (db) =>
  selectRealm(db, eq(realms.id, sql.placeholder('id'))),
);

export async function findRealmBySubdomain(db: Db, subdomain: string): Promise<RealmRow | undefined> {
  const [row] = await selectRealmBySubdomain(db, { subdomain });
  return row;
}

export async function findRealmById(db: Db, id: number): Promise<RealmRow | undefined> {
  const [row] = await selectRealmById(db, { id });
  return row;
}

const selectOverrides = (lock?: 'share' | 'update') =>
  defineQuery<{ overrides: Record<string, unknown> }, { realm_id: number }>(`find_realm_settings_${lock}`, (db) => {
    const query = db
      .select({ overrides: realm_settings.overrides })
      .from(realm_settings)
      .where(eq(realm_settings.realm_id, sql.placeholder('realm_id')));
    return lock ? query.for(lock) : query;
  });
const overridesOf = { none: selectOverrides(), share: selectOverrides('share'), update: selectOverrides('update') };

const selectLockedSettings = defineQuery<Pick<RealmRow, 'overrides' | 'limits_guests'>, { id: number }>(
  'find_locked_realm_settings',
  (db) => {
    const { overrides, limits_guests } = realmColumns;
    return db
      .select({ overrides, limits_guests })
      .from(realms)
      .innerJoin(realm_settings, eq(realm_settings.realm_id, realms.id))
      .where(eq(realms.id, sql.placeholder('id')))
      .for('share', { of: realm_settings });
  },
);

/** The settings, locked for share: they do not change until the commit. */
export async function lockRealmSettings(
  db: Db,
  id: number,
): Promise<Pick<RealmRow, 'overrides' | 'limits_guests'> | undefined> {
  const [row] = await selectLockedSettings(db, { id });
  return row;
}

/** When the server started, as UNIX time in seconds; null if no server has started on this database. */
export const jsonServerStart: SQL = sql`(select to_json(floor(extract(epoch from started_at))::bigint) from server_start)`;

/** The settings that differ from the defaults; locked if the caller depends on them afterwards. */
export async function findRealmOverrides(
  db: Db,
  realm_id: number,
  lock?: 'share' | 'update',
): Promise<Record<string, unknown>> {
  const [row] = await overridesOf[lock ?? 'none'](db, { realm_id });
  return row?.overrides ?? {};
}
