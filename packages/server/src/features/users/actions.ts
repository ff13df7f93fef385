import type { Ctx } from '../../core/context.ts';
import type { Params, Payload } from '../../core/contract.ts';
import type { Answer } from '../../core/handler.ts';
import { requireUser } from './access.ts';
import { presentOwnUser, presentUser } from './present.ts';
import { findNewestMessageId } from './queries/people.ts';
import { visibleUsers } from './shared.ts';

export async function getUsers(
  ctx: Ctx,
  { client_gravatar, include_custom_profile_fields }: Params<'getUsers'>,
): Promise<Answer<'getUsers'>> {
  const { everyone } = await visibleUsers(ctx, ['everyone'], { client_gravatar, include_custom_profile_fields });
  return { members: everyone };
}

export async function getUser(ctx: Ctx, { user_id, ...options }: Params<'getUser'>): Promise<Payload<'getUser'>> {
  return { user: presentUser(ctx.realm, ctx.me, await requireUser(ctx, user_id), options) };
}

export async function getOwnUser(ctx: Ctx): Promise<Payload<'getOwnUser'>> {
  const newest = await ctx.server.recall(ctx, `newest message of ${ctx.me.id}`, () =>
    findNewestMessageId(ctx.db, ctx.realm.id, ctx.me.id),
  );
  return presentOwnUser(ctx.realm, ctx.me, newest ?? -1);
}
