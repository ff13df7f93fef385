import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, getTableColumns, inArray, or } from 'drizzle-orm';
import { isOwner } from '../../access/roles-sql.ts';
import type { User } from '../../core/context.ts';
import type { SaltedRealm } from '../../core/secrets.ts';
import { VISIBILITY } from '../users/index.ts';

const { realms, realm_settings, realm_clock, tokens, users, audit_log, authorization_codes } = tables;
const { password_hash: _, email_key: __, ...userColumns } = getTableColumns(users);

/** Undefined: the subdomain is taken. */
export async function insertRealm(
  db: Db,
  subdomain: string,
  overrides: Record<string, unknown>,
  now: Date,
): Promise<SaltedRealm | undefined> {
  const [realm] = await db.insert(realms).values({ subdomain, created_at: now }).onConflictDoNothing().returning();
  if (!realm) return undefined;
  await db.insert(realm_settings).values({ realm_id: realm.id, overrides });
  await db.insert(realm_clock).values({ realm_id: realm.id });
  return realm;
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

/** The new account; undefined if the address is taken. */
export async function insertUser(db: Db, user: typeof users.$inferInsert): Promise<User | undefined> {
  const [row] = await db.insert(users).values(user).onConflictDoNothing().returning(userColumns);
  return row;
}

/**
 * Locks these accounts and the organization's active owners in the order of their ids. Changes of accounts are thereby
 * serialized: two owners who deactivate themselves at once cannot each count on the other. Foreign keys to the rows do
 * not wait.
 */
export async function listAccountsForUpdate(db: Db, realm_id: number, ids: readonly number[]): Promise<User[]> {
  const isActiveOwner = sql`${isOwner(sql`${users}`)} and ${users.is_active} and ${users.bot_type} is null`;
  return db
    .select(userColumns)
    .from(users)
    .where(and(eq(users.realm_id, realm_id), or(inArray(users.id, [...ids]), isActiveOwner)))
    .orderBy(users.id)
    .for('no key update');
}

/** Whether an account of the organization has this address, deactivated ones included. */
export async function isEmailTaken(db: Db, realm_id: number, email_key: string): Promise<boolean> {
  const found = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.email_key, email_key)));
  return found.length > 0;
}

/** Whether there is a user whose address only moderators can see. */
export async function hasUserVisibleToModerators(db: Db, realm_id: number): Promise<boolean> {
  const found = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.email_address_visibility, VISIBILITY.moderators)))
    .limit(1);
  return found.length > 0;
}

type Changes = Partial<
  Pick<
    typeof users.$inferInsert,
    'full_name' | 'role' | 'is_active' | 'password_hash' | 'key_version' | 'can_create_users' | 'bot_owner_id'
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

export async function updateActive(
  db: Db,
  realm_id: number,
  ids: readonly number[],
  is_active: boolean,
): Promise<void> {
  await db
    .update(users)
    .set({ is_active })
    .where(and(eq(users.realm_id, realm_id), inArray(users.id, [...ids])));
}

/** Locks and returns the active bots of a user. */
export async function listOwnedBotsForUpdate(db: Db, realm_id: number, owner_id: number): Promise<User[]> {
  return db
    .select(userColumns)
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.bot_owner_id, owner_id), eq(users.is_active, true)))
    .orderBy(users.id)
    .for('no key update');
}

/** Locks and returns the tokens of these users. */
export async function listTokenIdsForUpdate(db: Db, realm_id: number, user_ids: readonly number[]): Promise<number[]> {
  const found = await db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(eq(tokens.realm_id, realm_id), inArray(tokens.user_id, [...user_ids])))
    .orderBy(tokens.id)
    .for('update');
  return found.map(({ id }) => id);
}

export async function deleteTokens(db: Db, realm_id: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await db.delete(tokens).where(and(eq(tokens.realm_id, realm_id), inArray(tokens.id, [...ids])));
}

/** Deletes the authorization codes that these users granted to applications. */
export async function deleteAuthorizationCodes(db: Db, realm_id: number, user_ids: readonly number[]): Promise<void> {
  await db
    .delete(authorization_codes)
    .where(and(eq(authorization_codes.realm_id, realm_id), inArray(authorization_codes.user_id, [...user_ids])));
}

export async function insertAudit(db: Db, ...entries: (typeof audit_log.$inferInsert)[]): Promise<void> {
  await db.insert(audit_log).values(entries);
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
