// Refresh tokens: each is used once and is replaced by the next one of its family. All of a family have the same
// prefix, so that reuse is detected.
import type { PublicCtx } from '../../../core/context.ts';
import type { TokenHashing } from '../../../core/credentials.ts';
import { bounds } from '../../../core/limits.ts';
import type { PollEnding } from '../../../core/polls.ts';
import { findTokenForUpdate, generateRandomText, type TokenRow } from '../../tokens/index.ts';
import {
  type ApplicationRow,
  findRefreshToken,
  findRefreshTokenOf,
  insertRefreshToken,
  type RefreshTokenRow,
  updateRefreshToken,
} from '../queries.ts';
import { endApplicationTokens } from '../tokens.ts';

const PREFIX = 'parley_refresh_';

const generateFamily = (): string => `${PREFIX}${generateRandomText()}`;
const findFamily = (presented: string): string | undefined =>
  /^(parley_refresh_[\dA-Za-z]{30})[\dA-Za-z]{30}$/.exec(presented)?.[1];
export const isRefreshToken = (presented: string): boolean => presented.startsWith(PREFIX);

/** A new refresh token of a family, and what the database has of it. */
function generateRefreshToken(ctx: PublicCtx<TokenHashing>, family: string) {
  const refresh_token = `${family}${generateRandomText()}`;
  const row = {
    family_hash: ctx.server.tokenHashOf(family),
    hash: ctx.server.tokenHashOf(refresh_token),
    expires_at: new Date(ctx.now.getTime() + bounds.refresh_token),
  };
  return { refresh_token, row };
}

/** Creates the first refresh token of a token. */
export async function issueRefreshToken(
  ctx: PublicCtx<TokenHashing>,
  token_id: number,
  scopes: ApplicationRow['scopes'],
): Promise<string> {
  const { refresh_token, row } = generateRefreshToken(ctx, generateFamily());
  await insertRefreshToken(ctx.db, { ...row, realm_id: ctx.realm.id, token_id, scopes });
  return refresh_token;
}

/** Replaces a refresh token that `takeRefreshToken` has taken. */
export async function renewRefreshToken(
  ctx: PublicCtx<TokenHashing>,
  token: TokenRow,
  presented: string,
): Promise<string> {
  const { refresh_token, row } = generateRefreshToken(ctx, findFamily(presented) ?? generateFamily());
  await updateRefreshToken(ctx.db, { realm_id: token.realm_id, token_id: token.id }, row);
  return refresh_token;
}

export interface TakenRefreshToken {
  /** The token, locked, and thereby its refresh token. */
  readonly token: TokenRow;
  readonly row: RefreshTokenRow;
}

/**
 * Claims the refresh token, if it is the newest of its family, was issued to the application and has not expired. A
 * refresh token that was used before may be in the hands of another program, so the token of its family is revoked.
 */
export async function takeRefreshToken(
  ctx: PublicCtx<PollEnding & TokenHashing>,
  application: ApplicationRow,
  presented: string,
): Promise<TakenRefreshToken | undefined> {
  const found = await lockFamily(ctx, application, presented);
  if (!found) return undefined;
  const { hash, former } = ctx.server.tokenHashesOf(presented);
  if (found.row.hash !== hash && found.row.hash !== former) {
    await endApplicationTokens(ctx, [found.token]);
    return undefined;
  }
  return found.row.expires_at > ctx.now ? found : undefined;
}

/** Finds the token of a family and its refresh token, whichever of the family was presented. */
export async function lockFamily(
  ctx: PublicCtx<TokenHashing>,
  application: ApplicationRow,
  presented: string,
): Promise<TakenRefreshToken | undefined> {
  const family = findFamily(presented);
  const seen = family && (await findRefreshToken(ctx.db, ctx.realm.id, ctx.server.tokenHashesOf(family)));
  if (!seen) return undefined;
  const { realm_id, token_id } = seen;
  const token = await findTokenForUpdate(ctx.db, { realm_id, id: token_id });
  // Read again under the lock: another request may have used it while this one waited.
  const row = token && (await findRefreshTokenOf(ctx.db, seen));
  return row && token.application_id === application.id ? { token, row } : undefined;
}
