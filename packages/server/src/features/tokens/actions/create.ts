import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { PublicCtx, User } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import type { TokenHashing } from '../../../core/credentials.ts';
import { fail, failInvalid } from '../../../core/errors.ts';
import { requireRoom } from '../../../core/require-room.ts';
import { requireReadableStream } from '../../streams/index.ts';
import { audit, lockAccount } from '../../user-admin/index.ts';
import { presentToken } from '../present.ts';
import { insertToken } from '../queries.ts';
import { tokenNameProblem } from '../rules.ts';
import { generateSecret } from '../secret.ts';

/** Creates a token that acts as `account`. Without an actor, the operator creates it. */
export async function createToken(
  ctx: PublicCtx<CollectionLimiting & TokenHashing>,
  account: User,
  params: Params<'createToken'>,
  actor?: User,
): Promise<Payload<'createToken'>> {
  const name = params.name.trim();
  const problem = tokenNameProblem(name);
  if (problem !== undefined) failInvalid(problem);
  // Locked: an account that is being deactivated, or whose key is being replaced, must not leave a token behind.
  const { user } = await lockAccount(ctx, account.id);
  if (!user.is_active) fail('USER_DEACTIVATED', 'This account has been deactivated.');
  if (user.key_version !== account.key_version) fail('INVALID_API_KEY', 'Invalid API key.');
  const asAccount = { ...ctx, me: account };
  if (params.stream_id !== undefined) await requireReadableStream(asAccount, params.stream_id);
  await requireRoom(asAccount, 'tokens', 1);
  const secret = generateSecret();
  const row = await insertToken(ctx.db, {
    realm_id: ctx.realm.id,
    user_id: account.id,
    name,
    hash: ctx.server.tokenHashOf(secret),
    scopes: params.scopes,
    stream_id: params.stream_id ?? null,
    event_types: params.event_types ?? null,
    created_at: ctx.now,
    expires_at: params.lifespan_secs === undefined ? null : new Date(ctx.now.getTime() + params.lifespan_secs * 1000),
  });
  await audit(ctx, actor, 'token created', { user_id: account.id, token_id: row.id, name, scopes: row.scopes });
  return { token: presentToken(row), secret };
}
