import type { PublicCtx, User } from '../../../core/context.ts';
import { failNotFound } from '../../../core/errors.ts';
import type { PollEnding } from '../../../core/polls.ts';
import { endQueuesOfTokens } from '../../events/index.ts';
import { audit } from '../../user-admin/index.ts';
import { listUsersByIds } from '../../users/index.ts';
import { deleteToken, findTokenForUpdate, type TokenRow } from '../queries.ts';
import { canManageTokens } from '../rules.ts';

/** Without an actor, the operator revokes it. */
export async function revokeToken(ctx: PublicCtx<PollEnding>, token_id: number, actor?: User): Promise<void> {
  const token = await findTokenForUpdate(ctx.db, { realm_id: ctx.realm.id, id: token_id });
  if (!token || (actor && !(await canManage(ctx, actor, token)))) failNotFound(`There is no token ${token_id}.`);
  await endQueuesOfTokens(ctx, [token_id]);
  await deleteToken(ctx.db, token);
  await audit(ctx, actor, 'token revoked', { user_id: token.user_id, token_id, name: token.name });
}

async function canManage(ctx: PublicCtx, actor: User, { user_id }: TokenRow): Promise<boolean> {
  if (user_id === actor.id) return true;
  const [account] = await listUsersByIds(ctx.db, ctx.realm.id, [user_id]);
  return account !== undefined && canManageTokens(actor, account);
}
