// Tokens that applications get with the consent of a user. One row lasts from the consent to the revocation, so that event queues and the
// last use do too: renewing it replaces its secret.

import type { AccessToken } from '../../core/access-token.ts';
import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { PublicCtx, User } from '../../core/context.ts';
import type { TokenHashing } from '../../core/credentials.ts';
import { bounds } from '../../core/limits.ts';
import type { PollEnding } from '../../core/polls.ts';
import { requireRoom } from '../../core/require-room.ts';
import { endQueuesOfTokens } from '../events/index.ts';
import {
  deleteTokens,
  generateSecret,
  insertToken,
  listApplicationTokensForUpdate,
  type TokenRow,
  updateTokenSecret,
} from '../tokens/index.ts';
import { audit } from '../user-admin/index.ts';

type TokenScopes = AccessToken['scopes'][number][];

export interface ApplicationConsent {
  readonly user: User;
  readonly application: { readonly id: number; readonly name: string };
  readonly scopes: TokenScopes;
}

/** The number of tokens that one statement revokes. */
const TOGETHER = 1000;

const expiryOf = ({ now }: PublicCtx): Date => new Date(now.getTime() + bounds.application_token);

/**
 * Creates a token for an application that a user allowed; the account must be locked. Beyond ten tokens of one user for
 * one application the oldest is revoked, because applications can lose tokens without revoking them.
 */
export async function issueApplicationToken(
  ctx: PublicCtx<CollectionLimiting & PollEnding & TokenHashing>,
  { user, application, scopes }: ApplicationConsent,
): Promise<{ id: number; secret: string }> {
  const had = await listApplicationTokensForUpdate(ctx.db, ctx.realm.id, application.id, user.id);
  await endApplicationTokens(ctx, had.slice(0, Math.max(0, had.length + 1 - bounds.application_tokens)));
  await requireRoom({ ...ctx, me: user }, 'tokens', 1);
  const secret = generateSecret();
  const { id } = await insertToken(ctx.db, {
    realm_id: ctx.realm.id,
    user_id: user.id,
    application_id: application.id,
    name: application.name,
    hash: ctx.server.tokenHashOf(secret),
    scopes,
    created_at: ctx.now,
    expires_at: expiryOf(ctx),
  });
  const details = { user_id: user.id, token_id: id, application_id: application.id, name: application.name, scopes };
  await audit(ctx, user, 'token created', details);
  return { id, secret };
}

/** Replaces the secret of a token that is locked: the one before ends, and the token lasts for another hour. */
export async function renewApplicationToken(
  ctx: PublicCtx<TokenHashing>,
  token: TokenRow,
  scopes: TokenScopes,
): Promise<string> {
  const secret = generateSecret();
  const change = { hash: ctx.server.tokenHashOf(secret), scopes, expires_at: expiryOf(ctx) };
  await updateTokenSecret(ctx.db, token, change);
  return secret;
}

/** Ends tokens that are locked, and their event queues. `actor` is undefined where the application ended them. */
export async function endApplicationTokens(
  ctx: PublicCtx<PollEnding>,
  tokens: readonly TokenRow[],
  actor?: User,
): Promise<void> {
  for (let from = 0; from < tokens.length; from += TOGETHER) {
    const some = tokens.slice(from, from + TOGETHER);
    const ids = some.map(({ id }) => id);
    await endQueuesOfTokens(ctx, ids);
    await deleteTokens(ctx.db, ctx.realm.id, ids);
    const details = some.map(({ id, user_id, application_id, name }) => ({
      user_id,
      token_id: id,
      application_id,
      name,
    }));
    await audit(ctx, actor, 'token revoked', ...details);
  }
}
