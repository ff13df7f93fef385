import { type Db, defineQuery, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, desc, eq, getTableColumns, gt, inArray, isNull, lt, notInArray } from 'drizzle-orm';
import { callerVersion } from '../../core/caller-version-sql.ts';
import type { User } from '../../core/context.ts';
import { type RealmRow, realmColumns } from '../realm/index.ts';

const { login_networks, realms, realm_settings, sign_ins, users } = tables;
const { password_hash: _, email_key: __, ...columns } = getTableColumns(users);

export interface CallerRow {
  realm: RealmRow;
  account: User | null;
  /** The version of all organizations and accounts, as this read them. */
  version: string;
}

const selectCaller = defineQuery<CallerRow, { subdomain: string; email_key: string | null }>('find_caller', (db) =>
  db
    .select({ realm: realmColumns, account: columns, version: callerVersion })
    .from(realms)
    .innerJoin(realm_settings, eq(realm_settings.realm_id, realms.id))
    .leftJoin(users, and(eq(users.realm_id, realms.id), eq(users.email_key, sql.placeholder('email_key'))))
    .where(eq(realms.subdomain, sql.placeholder('subdomain'))),
);

/**
 * The organization with this subdomain, and its account with this real email address, ignoring case. Every request runs
 * this first.
 */
export async function findCaller(db: Db, subdomain: string, email: string | undefined): Promise<CallerRow | undefined> {
  const [row] = await selectCaller(db, { subdomain, email_key: email?.toLowerCase() ?? null });
  return row;
}

export interface LoginRow {
  user: User;
  /** Null: the account has no password. */
  password_hash: string | null;
}

/** The account with this real email address, and the hash of its password. */
export async function findLogin(db: Db, realm_id: number, email: string): Promise<LoginRow | undefined> {
  const [row] = await db
    .select({ user: columns, password_hash: users.password_hash })
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.email_key, email.toLowerCase())));
  return row;
}

/** The password hash of a user, if there is one. */
export async function findPasswordHash(
  db: Db,
  { realm_id, id }: Pick<User, 'realm_id' | 'id'>,
): Promise<string | null> {
  const [row] = await db
    .select({ password_hash: users.password_hash })
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.id, id)));
  return row?.password_hash ?? null;
}

/** Stores a new password if the present hash is still this; returns false if it is not. */
export async function updatePasswordHash(
  db: Db,
  { realm_id, id }: Pick<User, 'realm_id' | 'id'>,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const changed = await db
    .update(users)
    .set({ password_hash: to })
    .where(and(eq(users.realm_id, realm_id), eq(users.id, id), eq(users.password_hash, from)))
    .returning({ id: users.id });
  return changed.length > 0;
}

/** The human user with this id, if there is one. */
export async function findUserById(db: Db, realm_id: number, id: number): Promise<User | undefined> {
  const [row] = await db
    .select(columns)
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.id, id), isNull(users.bot_type)));
  return row;
}

export type SignIn = typeof sign_ins.$inferSelect;

export async function insertSignIn(db: Db, row: SignIn): Promise<void> {
  await db.insert(sign_ins).values(row);
}

/**
 * Deletes the state of a sign-in and returns it, so that it works once. If browsers are given, only for one of these.
 */
export async function takeSignIn(
  db: Db,
  { realm_id, state_hash, provider }: Pick<SignIn, 'realm_id' | 'state_hash' | 'provider'>,
  now: Date,
  browser_hashes?: readonly string[],
): Promise<SignIn | undefined> {
  if (browser_hashes?.length === 0) return undefined;
  const [row] = await db
    .delete(sign_ins)
    .where(
      and(
        eq(sign_ins.realm_id, realm_id),
        eq(sign_ins.state_hash, state_hash),
        eq(sign_ins.provider, provider),
        gt(sign_ins.expires_at, now),
        browser_hashes && inArray(sign_ins.browser_hash, [...browser_hashes]),
      ),
    )
    .returning();
  return row;
}

/** Deletes sign-ins that expired. */
export async function deleteExpiredSignIns(db: Db, now: Date): Promise<void> {
  await db.delete(sign_ins).where(lt(sign_ins.expires_at, now));
}

type LoginNetwork = typeof login_networks.$inferSelect;
type LoginNetworkKey = Omit<LoginNetwork, 'seen_at'>;

const ofUsername = ({ realm_id, username_hash }: Pick<LoginNetwork, 'realm_id' | 'username_hash'>) =>
  and(eq(login_networks.realm_id, realm_id), eq(login_networks.username_hash, username_hash));

/** Whether the account has logged in from the network. */
export async function findLoginNetwork(db: Db, key: LoginNetworkKey): Promise<boolean> {
  const found = await db
    .select({ seen_at: login_networks.seen_at })
    .from(login_networks)
    .where(and(ofUsername(key), eq(login_networks.network_hash, key.network_hash)));
  return found.length > 0;
}

/** Stores when the account logged in from the network. Returns false if that was stored after `stale`. */
export async function upsertLoginNetwork(db: Db, row: LoginNetwork, stale: Date): Promise<boolean> {
  const rows = await db
    .insert(login_networks)
    .values(row)
    .onConflictDoUpdate({
      target: [login_networks.realm_id, login_networks.username_hash, login_networks.network_hash],
      set: { seen_at: row.seen_at },
      setWhere: lt(login_networks.seen_at, stale),
    })
    .returning({ seen_at: login_networks.seen_at });
  return rows.length > 0;
}

/** Deletes all but the newest networks of an account. */
export async function deleteAllButNewestLoginNetworks(db: Db, key: LoginNetworkKey, count: number): Promise<void> {
  const newest = db
    .select({ network_hash: login_networks.network_hash })
    .from(login_networks)
    .where(ofUsername(key))
    .orderBy(desc(login_networks.seen_at), login_networks.network_hash)
    .limit(count);
  await db.delete(login_networks).where(and(ofUsername(key), notInArray(login_networks.network_hash, newest)));
}

export async function deleteLoginNetworksBefore(db: Db, time: Date): Promise<void> {
  await db.delete(login_networks).where(lt(login_networks.seen_at, time));
}
