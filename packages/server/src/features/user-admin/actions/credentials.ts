import type { PublicCtx, User } from '../../../core/context.ts';
import type { ApiKeys } from '../../../core/credentials.ts';
import { fail, failInvalid } from '../../../core/errors.ts';
import type { PollEnding } from '../../../core/polls.ts';
import { hashPassword, passwordProblem } from '../../auth/index.ts';
import { endPollsOfUser, endQueuesOfTokens } from '../../events/index.ts';
import { lockAccount } from '../access.ts';
import { audit } from '../audit.ts';
import { deleteAuthorizationCodes, deleteTokens, listTokenIdsForUpdate, updateUser } from '../queries.ts';

/** Ends every API key and token handed out for the account and gives the new key. */
export async function rotateKey(ctx: PublicCtx<ApiKeys & PollEnding>, id: number, actor?: User): Promise<string> {
  const { user } = await lockAccount(ctx, id, actor);
  // A user who regenerates their own key authenticates with it: if it was replaced meanwhile, it is invalid.
  if (actor?.id === id && actor.key_version !== user.key_version) fail('INVALID_API_KEY', 'Invalid API key.');
  const key_version = user.key_version + 1;
  await updateUser(ctx.db, ctx.realm.id, id, { key_version });
  await endTokens(ctx, [id]);
  await endPollsOfUser(ctx, id);
  await audit(ctx, actor, 'key rotated', { user_id: id });
  return ctx.server.apiKeyOf(ctx.realm, { ...user, key_version });
}

/** Ends the tokens of accounts that are locked, the queues that were registered with them, and codes that would become tokens. */
export async function endTokens(ctx: PublicCtx<PollEnding>, user_ids: readonly number[]): Promise<void> {
  const token_ids = await listTokenIdsForUpdate(ctx.db, ctx.realm.id, user_ids);
  await endQueuesOfTokens(ctx, token_ids);
  await deleteTokens(ctx.db, ctx.realm.id, token_ids);
  await deleteAuthorizationCodes(ctx.db, ctx.realm.id, user_ids);
}

export async function resetPassword(ctx: PublicCtx, id: number, password: string, actor?: User): Promise<void> {
  const { user } = await lockAccount(ctx, id, actor);
  if (user.bot_type !== null) failInvalid('Bots have no password.');
  const weak = passwordProblem(password, [user.delivery_email, user.full_name]);
  if (weak !== undefined) failInvalid(`password: ${weak}`);
  await updateUser(ctx.db, ctx.realm.id, id, { password_hash: await hashPassword(password) });
  await audit(ctx, actor, 'password reset', { user_id: id });
}
