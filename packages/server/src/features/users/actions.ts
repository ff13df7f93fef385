import type { Ctx, User } from '../../core/context.ts';
import type { Params, Payload } from '../../core/contract.ts';
import { requireUser } from './access.ts';
import { presentOwnUser, presentUser } from './present.ts';
import { findNewestMessageId, listUsers } from './queries/people.ts';
import { visibleUserIds } from './sight.ts';

/** Everybody the caller may know of, by id. */
export async function listVisibleUsers(ctx: Ctx): Promise<User[]> {
  const users = await listUsers(ctx.db, ctx.realm.id);
  const visible = await visibleUserIds(ctx);
  return visible === 'all' ? users : users.filter(({ id }) => visible.has(id));
}

export async function getUsers(ctx: Ctx, params: Params<'getUsers'>): Promise<Payload<'getUsers'>> {
  const users = await listVisibleUsers(ctx);
  return { members: users.map((user) => presentUser(ctx.realm, ctx.me, user, params)) };
}

export async function getUser(ctx: Ctx, { user_id, ...options }: Params<'getUser'>): Promise<Payload<'getUser'>> {
  return { user: presentUser(ctx.realm, ctx.me, await requireUser(ctx, user_id), options) };
}

export async function getOwnUser(ctx: Ctx): Promise<Payload<'getOwnUser'>> {
  return presentOwnUser(ctx.realm, ctx.me, (await findNewestMessageId(ctx.db, ctx.realm.id, ctx.me.id)) ?? -1);
}
