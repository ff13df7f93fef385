import { type Db, defineQuery, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, or } from 'drizzle-orm';
import { bigints } from '../../core/bigints-sql.ts';
import type { User } from '../../core/context.ts';
import { type RealmRow, realmColumns } from '../realm/index.ts';
import { userColumns } from '../users/index.ts';

const { realms, realm_settings, tokens, users } = tables;

export type TokenRow = typeof tokens.$inferSelect;

interface TokenCallerRow {
  realm: RealmRow;
  account: User | null;
  token: TokenRow | null;
}

const selectTokenCaller = defineQuery<TokenCallerRow, { subdomain: string; hash: string; former: string }>(
  'find_token_caller',
  (db) =>
    db
      .select({ realm: realmColumns, account: userColumns, token: tokens })
      .from(realms)
      .innerJoin(realm_settings, eq(realm_settings.realm_id, realms.id))
      .leftJoin(
        tokens,
        and(
          eq(tokens.realm_id, realms.id),
          or(eq(tokens.hash, sql.placeholder('hash')), eq(tokens.hash, sql.placeholder('former'))),
        ),
      )
      .leftJoin(users, and(eq(users.realm_id, tokens.realm_id), eq(users.id, tokens.user_id)))
      .where(eq(realms.subdomain, sql.placeholder('subdomain'))),
);

/** The organization with this subdomain, and in it the token with one of these hashes and its account. */
export async function findTokenCaller(
  db: Db,
  subdomain: string,
  hashes: { hash: string; former: string },
): Promise<TokenCallerRow | undefined> {
  const [row] = await selectTokenCaller(db, { subdomain, ...hashes });
  return row;
}

type TokenKey = Pick<TokenRow, 'realm_id' | 'id'>;
const isIt = ({ realm_id, id }: TokenKey) => and(eq(tokens.realm_id, realm_id), eq(tokens.id, id));

/** Stores that a token is used now, unless that was stored after `stale`. */
export async function updateLastUsed(db: Db, key: TokenKey, now: Date, stale: Date): Promise<void> {
  await db
    .update(tokens)
    .set({ last_used_at: now })
    .where(and(isIt(key), sql`coalesce(${tokens.last_used_at} <= ${stale.toISOString()}::timestamptz, true)`));
}

export async function insertToken(db: Db, row: typeof tokens.$inferInsert): Promise<TokenRow> {
  const [inserted] = await db.insert(tokens).values(row).returning();
  if (!inserted) throw new Error('unreachable');
  return inserted;
}

/** The tokens of a user, oldest first. */
export async function listTokensOf(db: Db, realm_id: number, user_id: number): Promise<TokenRow[]> {
  return db
    .select()
    .from(tokens)
    .where(and(eq(tokens.realm_id, realm_id), eq(tokens.user_id, user_id)))
    .orderBy(tokens.id);
}

/** Locks and returns the token, so that no queue is registered with it meanwhile. */
export async function findTokenForUpdate(db: Db, key: TokenKey): Promise<TokenRow | undefined> {
  const [row] = await db.select().from(tokens).where(isIt(key)).for('update');
  return row;
}

export async function deleteToken(db: Db, key: TokenKey): Promise<void> {
  await rows(db, sql`delete from tokens where realm_id = ${key.realm_id} and id = ${key.id}`);
}

/** Locks and returns the tokens of an application, oldest first; with `user_id` those of one user. */
export async function listApplicationTokensForUpdate(
  db: Db,
  realm_id: number,
  application_id: number,
  user_id?: number,
): Promise<TokenRow[]> {
  const ofUser = user_id === undefined ? undefined : eq(tokens.user_id, user_id);
  return db
    .select()
    .from(tokens)
    .where(and(eq(tokens.realm_id, realm_id), eq(tokens.application_id, application_id), ofUser))
    .orderBy(tokens.id)
    .for('update');
}

export async function updateTokenSecret(
  db: Db,
  key: TokenKey,
  change: Pick<TokenRow, 'hash' | 'scopes' | 'expires_at'>,
): Promise<void> {
  await db.update(tokens).set(change).where(isIt(key));
}

/** Deletes tokens that are locked. */
export async function deleteTokens(db: Db, realm_id: number, ids: readonly number[]): Promise<void> {
  await rows(db, sql`delete from tokens where realm_id = ${realm_id} and id = any(${bigints(ids)})`);
}
