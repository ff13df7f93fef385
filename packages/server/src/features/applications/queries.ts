import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, getTableColumns, inArray, lte } from 'drizzle-orm';
import type { TokenRow } from '../tokens/index.ts';

const { applications, authorization_codes, refresh_tokens, tokens } = tables;

export type ApplicationRow = typeof applications.$inferSelect;
export type AuthorizationCodeRow = typeof authorization_codes.$inferSelect;
export type RefreshTokenRow = typeof refresh_tokens.$inferSelect;

/** The hashes under which a secret may be stored: with the server's present secret, and with the previous one. */
interface SecretHashes {
  readonly hash: string;
  readonly former: string;
}

const isApplication = (realm_id: number, id: number) =>
  and(eq(applications.realm_id, realm_id), eq(applications.id, id));

/** The applications of an organization, oldest first. */
export async function listApplications(db: Db, realm_id: number): Promise<ApplicationRow[]> {
  return db.select().from(applications).where(eq(applications.realm_id, realm_id)).orderBy(applications.id);
}

export async function findApplication(db: Db, realm_id: number, id: number): Promise<ApplicationRow | undefined> {
  const [row] = await db.select().from(applications).where(isApplication(realm_id, id));
  return row;
}

/** Locks and returns the application. With `share` it does not change until the commit; `update` is for changing it. */
export async function lockApplication(
  db: Db,
  realm_id: number,
  id: number,
  strength: 'share' | 'update',
): Promise<ApplicationRow | undefined> {
  const [row] = await db.select().from(applications).where(isApplication(realm_id, id)).for(strength);
  return row;
}

export async function insertApplication(db: Db, row: typeof applications.$inferInsert): Promise<ApplicationRow> {
  const [inserted] = await db.insert(applications).values(row).returning();
  if (!inserted) throw new Error('unreachable');
  return inserted;
}

type ApplicationChange = Partial<Pick<ApplicationRow, 'name' | 'redirect_uris' | 'scopes' | 'secret_hash'>>;

export async function updateApplicationRow(db: Db, row: ApplicationRow, change: ApplicationChange): Promise<void> {
  await db.update(applications).set(change).where(isApplication(row.realm_id, row.id));
}

export async function deleteApplicationRow(db: Db, { realm_id, id }: ApplicationRow): Promise<void> {
  await db.delete(applications).where(isApplication(realm_id, id));
}

/** Locks and returns the tokens of an application with more scopes than these. */
export async function listTokensBeyondScopes(
  db: Db,
  { realm_id, id }: ApplicationRow,
  scopes: ApplicationRow['scopes'],
): Promise<TokenRow[]> {
  return db
    .select(getTableColumns(tokens))
    .from(tokens)
    .innerJoin(
      refresh_tokens,
      and(eq(refresh_tokens.realm_id, tokens.realm_id), eq(refresh_tokens.token_id, tokens.id)),
    )
    .where(
      and(
        eq(tokens.realm_id, realm_id),
        eq(tokens.application_id, id),
        sql`not ${refresh_tokens.scopes} <@ ${sql.param(scopes)}::text[]`,
      ),
    )
    .orderBy(tokens.id)
    .for('update', { of: tokens });
}

const isCode = ({ realm_id, hash }: Pick<AuthorizationCodeRow, 'realm_id' | 'hash'>) =>
  and(eq(authorization_codes.realm_id, realm_id), eq(authorization_codes.hash, hash));

/** Stores a code. It replaces an unused code of the same user for the same application. */
export async function insertCode(db: Db, row: typeof authorization_codes.$inferInsert): Promise<void> {
  await db
    .delete(authorization_codes)
    .where(
      and(
        eq(authorization_codes.realm_id, row.realm_id),
        eq(authorization_codes.user_id, row.user_id),
        eq(authorization_codes.application_id, row.application_id),
        eq(authorization_codes.is_used, false),
      ),
    );
  await db.insert(authorization_codes).values(row);
}

export async function findCode(
  db: Db,
  realm_id: number,
  { hash, former }: SecretHashes,
): Promise<AuthorizationCodeRow | undefined> {
  const [row] = await db
    .select()
    .from(authorization_codes)
    .where(and(eq(authorization_codes.realm_id, realm_id), inArray(authorization_codes.hash, [hash, former])));
  return row;
}

export async function updateCode(
  db: Db,
  code: AuthorizationCodeRow,
  change: Partial<Pick<AuthorizationCodeRow, 'is_used' | 'token_id'>>,
): Promise<void> {
  await db.update(authorization_codes).set(change).where(isCode(code));
}

/** Deletes the codes that expired before that time, in all organizations. */
export async function deleteCodesExpiredBefore(db: Db, time: Date): Promise<void> {
  await db.delete(authorization_codes).where(lte(authorization_codes.expires_at, time));
}

export async function insertRefreshToken(db: Db, row: RefreshTokenRow): Promise<void> {
  await db.insert(refresh_tokens).values(row);
}

/** The refresh token of a family. */
export async function findRefreshToken(
  db: Db,
  realm_id: number,
  { hash, former }: SecretHashes,
): Promise<RefreshTokenRow | undefined> {
  const [row] = await db
    .select()
    .from(refresh_tokens)
    .where(and(eq(refresh_tokens.realm_id, realm_id), inArray(refresh_tokens.family_hash, [hash, former])));
  return row;
}

type RefreshTokenKey = Pick<RefreshTokenRow, 'realm_id' | 'token_id'>;
const isRefreshToken = ({ realm_id, token_id }: RefreshTokenKey) =>
  and(eq(refresh_tokens.realm_id, realm_id), eq(refresh_tokens.token_id, token_id));

/** The refresh token of a token. The token must be locked, so the refresh token does not change either. */
export async function findRefreshTokenOf(db: Db, key: RefreshTokenKey): Promise<RefreshTokenRow | undefined> {
  const [row] = await db.select().from(refresh_tokens).where(isRefreshToken(key));
  return row;
}

export async function updateRefreshToken(
  db: Db,
  key: RefreshTokenKey,
  change: Pick<RefreshTokenRow, 'family_hash' | 'hash' | 'expires_at'>,
): Promise<void> {
  await db.update(refresh_tokens).set(change).where(isRefreshToken(key));
}

/** The token of an application with this secret. */
export async function findApplicationToken(
  db: Db,
  realm_id: number,
  { hash, former }: SecretHashes,
): Promise<TokenRow | undefined> {
  const [row] = await db
    .select()
    .from(tokens)
    .where(and(eq(tokens.realm_id, realm_id), inArray(tokens.hash, [hash, former])));
  return row;
}

/** Organizations with tokens that no application can refresh anymore. */
export async function listRealmsWithLapsedTokens(db: Db, now: Date): Promise<number[]> {
  const found = await rows<{ realm_id: number }>(
    db,
    sql`select distinct realm_id from refresh_tokens where expires_at <= ${now.toISOString()}::timestamptz`,
  );
  return found.map(({ realm_id }) => realm_id);
}

/** Locks and returns tokens of an organization that no application can refresh anymore; at most a thousand. */
export async function listLapsedTokensForUpdate(db: Db, realm_id: number, now: Date): Promise<TokenRow[]> {
  return db
    .select(getTableColumns(tokens))
    .from(tokens)
    .innerJoin(
      refresh_tokens,
      and(eq(refresh_tokens.realm_id, tokens.realm_id), eq(refresh_tokens.token_id, tokens.id)),
    )
    .where(and(eq(refresh_tokens.realm_id, realm_id), lte(refresh_tokens.expires_at, now)))
    .orderBy(tokens.id)
    .limit(1000)
    .for('update', { of: tokens });
}
