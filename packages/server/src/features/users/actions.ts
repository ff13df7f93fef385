import type { Ctx } from '../../core/context.ts';
import type { Params, Payload } from '../../core/contract.ts';
import type { HandlerResponse } from '../../core/handler.ts';
import type { ProfileRemembering, Profiles } from '../../core/profiles.ts';
import type { Memoizing, SnapshotCaching } from '../../core/snapshot-cache.ts';
import { requireUser } from './access.ts';
import { listVisibleUsers } from './cached-users.ts';
import { presentOwnUser, presentUser } from './present.ts';
import { listProfiles } from './queries/profiles.ts';
import { findNewestMessageId } from './queries/users.ts';

export async function getUsers(
  ctx: Ctx<SnapshotCaching>,
  { client_gravatar, include_custom_profile_fields }: Params<'getUsers'>,
): Promise<HandlerResponse<'getUsers'>> {
  const { everyone } = await listVisibleUsers(ctx, ['everyone'], { client_gravatar, include_custom_profile_fields });
  return { members: everyone };
}

export async function getUser(
  ctx: Ctx,
  { user_id, client_gravatar, include_custom_profile_fields }: Params<'getUser'>,
): Promise<Payload<'getUser'>> {
  const user = await requireUser(ctx, user_id);
  const profiles = include_custom_profile_fields ? await listProfiles(ctx.db, ctx.realm.id, [user.id]) : undefined;
  return { user: presentUser(ctx.realm, ctx.me, user, { client_gravatar, profiles }) };
}

export async function getOwnUser(ctx: Ctx<Memoizing & ProfileRemembering>): Promise<Payload<'getOwnUser'>> {
  const { db, realm, me, server } = ctx;
  const newest = await server.memoizeUntilNextEvent(ctx, `newest message ${me.id}`, () =>
    findNewestMessageId(db, realm.id, me.id),
  );
  return presentOwnUser(realm, me, { max_message_id: newest ?? -1, profiles: await listOwnProfile(ctx) });
}

/**
 * Remembered until the next event, if the request read the newest one. Otherwise that number can be 25 ms old, so the values are
 * remembered under the lease.
 */
const listOwnProfile = (ctx: Ctx<Memoizing & ProfileRemembering>): Promise<Profiles> =>
  ctx.realm.last_event_id === undefined
    ? ctx.server.profiles.find(ctx.db, ctx.me)
    : ctx.server.memoizeUntilNextEvent(ctx, `profile ${ctx.me.id}`, () =>
        listProfiles(ctx.db, ctx.realm.id, [ctx.me.id]),
      );
