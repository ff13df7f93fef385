import { type Db, rows, tables } from '@parley/db';
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { User } from '../../core/context.ts';

const { realms, realm_settings, realm_clock, users, audit_log } = tables;
const { password_hash: _, email_key: __, ...userColumns } = getTableColumns(users);

export async function insertRealm(
  db: Db,
  subdomain: string,
  overrides: Record<string, unknown>,
  now: Date,
): Promise<number> {
  const [realm] = await db.insert(realms).values({ subdomain, created_at: now }).onConflictDoNothing().returning();
  if (!realm) return 0;
  await db.insert(realm_settings).values({ realm_id: realm.id, overrides });
  await db.insert(realm_clock).values({ realm_id: realm.id });
  return realm.id;
}

export async function updateRealmOverrides(
  db: Db,
  realm_id: number,
  overrides: Record<string, unknown>,
): Promise<void> {
  await db.execute(
    sql`update realm_settings set overrides = overrides || ${JSON.stringify(overrides)}::jsonb where realm_id = ${realm_id}`,
  );
}

/** The new account, or nothing if the address is taken. */
export async function insertUser(db: Db, user: typeof users.$inferInsert): Promise<User | undefined> {
  const [row] = await db.insert(users).values(user).onConflictDoNothing().returning(userColumns);
  return row;
}

/** Locks the account, so that two changes of it take turns. */
export async function findUserForUpdate(db: Db, realm_id: number, id: number): Promise<User | undefined> {
  const [row] = await db
    .select(userColumns)
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.id, id)))
    .for('update');
  return row;
}

type Changes = Partial<
  Pick<
    typeof users.$inferInsert,
    'full_name' | 'role' | 'is_active' | 'password_hash' | 'key_version' | 'can_create_users'
  >
>;

export async function updateUser(db: Db, realm_id: number, id: number, changes: Changes): Promise<User | undefined> {
  const [row] = await db
    .update(users)
    .set(changes)
    .where(and(eq(users.realm_id, realm_id), eq(users.id, id)))
    .returning(userColumns);
  return row;
}

export async function listOwnedBots(db: Db, realm_id: number, owner_id: number): Promise<User[]> {
  return db
    .select(userColumns)
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.bot_owner_id, owner_id), eq(users.is_active, true)))
    .orderBy(users.id)
    .for('update');
}

/** Locks the organization's active owners: two of them leaving at once must not both find the other still there. */
export async function listOwnersForUpdate(db: Db, realm_id: number): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select id from users where realm_id = ${realm_id} and role = 100 and is_active and bot_type is null order by id for update`,
  );
  return found.map(({ id }) => id);
}

export async function insertAudit(db: Db, entry: typeof audit_log.$inferInsert): Promise<void> {
  await db.insert(audit_log).values(entry);
}

export async function listRealms(
  db: Db,
): Promise<{ subdomain: string; realm_id: number; deactivated: boolean; name: string }[]> {
  return rows(
    db,
    sql`select r.subdomain, r.id as realm_id, r.deactivated_at is not null as deactivated, s.overrides->>'name' as name
        from realms r join realm_settings s on s.realm_id = r.id order by r.subdomain`,
  );
}
