import type { Ctx, PublicCtx } from '../../../core/context.ts';
import type { Params, Payload, Schema } from '../../../core/contract.ts';
import { failForbidden } from '../../../core/errors.ts';
import { requireUser } from '../../users/index.ts';
import { presentToken } from '../present.ts';
import { listTokensOf } from '../queries.ts';
import { canManageTokens } from '../rules.ts';

export async function getTokens(ctx: Ctx, { user_id = ctx.me.id }: Params<'getTokens'>): Promise<Payload<'getTokens'>> {
  const account = user_id === ctx.me.id ? ctx.me : await requireUser(ctx, user_id);
  if (!canManageTokens(ctx.me, account)) failForbidden(`You cannot list the tokens of user ${user_id}.`);
  return { tokens: await listTokens(ctx, user_id) };
}

/** The tokens of a user. The caller of this function checks the permissions. */
export async function listTokens({ db, realm }: PublicCtx, user_id: number): Promise<Schema<'Token'>[]> {
  return (await listTokensOf(db, realm.id, user_id)).map(presentToken);
}
