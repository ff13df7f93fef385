// The code that an application exchanges for its first tokens.

import type { PublicCtx, User } from '../../../core/context.ts';
import type { TokenHashing } from '../../../core/credentials.ts';
import type { PollEnding } from '../../../core/polls.ts';
import { findTokenForUpdate } from '../../tokens/index.ts';
import { lockAccount } from '../../user-admin/index.ts';
import { type ApplicationRow, type AuthorizationCodeRow, findCode } from '../queries.ts';
import { endApplicationTokens } from '../tokens.ts';

export interface TakenCode {
  readonly row: AuthorizationCodeRow;
  readonly user: User;
}

/**
 * Returns the code with its user, locked, if it was issued to the application and is valid. A code that was used before
 * may be in the hands of another program, so the tokens issued for it are revoked (RFC 6749, 4.1.2).
 */
export async function takeCode(
  ctx: PublicCtx<PollEnding & TokenHashing>,
  application: ApplicationRow,
  presented: string,
): Promise<TakenCode | undefined> {
  const seen = await findCode(ctx.db, ctx.realm.id, ctx.server.tokenHashesOf(presented));
  if (!seen || seen.application_id !== application.id) return undefined;
  const { user } = await lockAccount(ctx, seen.user_id);
  // Read again under the lock: requests with codes of one account are serialized by its row.
  const row = await findCode(ctx.db, ctx.realm.id, { hash: seen.hash, former: seen.hash });
  if (!row || row.expires_at <= ctx.now || !user.is_active) return row && endIfUsed(ctx, row);
  return row.is_used ? endIfUsed(ctx, row) : { row, user };
}

async function endIfUsed(ctx: PublicCtx<PollEnding>, { realm_id, token_id }: AuthorizationCodeRow): Promise<undefined> {
  const token = token_id === null ? undefined : await findTokenForUpdate(ctx.db, { realm_id, id: token_id });
  if (token) await endApplicationTokens(ctx, [token]);
}
