import type { Ctx, PublicCtx, User } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { fail } from '../../../core/errors.ts';
import { findAudienceOfUser, getApiEmail, requireLockedUser } from '../../users/index.ts';
import { presenceEvent } from '../present.ts';
import { findPresenceState, type Presence, updatePresenceOf } from '../queries.ts';
import { isChange, toOfflinePresence, toOnlinePresence } from '../rules.ts';
import { getPresencesIn } from './list.ts';

/** Records that the user is active. Most pings change nothing that others see, and then lock and write nothing. */
export async function updatePresence(
  ctx: Ctx,
  { status, ping_only, slim_presence }: Params<'updatePresence'>,
): Promise<Payload<'updatePresence'>> {
  if (isChange(await findPresenceState(ctx.db, ctx.me), status, ctx.now)) await appear(ctx, status);
  return ping_only ? {} : getPresencesIn(ctx, { slim_presence });
}

async function appear(ctx: Ctx, status: Presence['status']): Promise<void> {
  const me = await requireLockedUser(ctx.db, ctx.me);
  if (!me.is_active) fail('USER_DEACTIVATED', 'This account has been deactivated.');
  const state = await findPresenceState(ctx.db, me);
  if (isChange(state, status, ctx.now)) await emitPresence(ctx, me, toOnlinePresence(ctx.now, status, state.presence));
}

/** Emits a user whose setting `presence_enabled` was just switched on as active, or switched off as offline. */
export async function switchPresence(
  ctx: PublicCtx,
  account: Pick<User, 'realm_id' | 'id'>,
  is_shown: boolean,
): Promise<void> {
  const user = await requireLockedUser(ctx.db, account);
  const { presence } = await findPresenceState(ctx.db, user);
  await emitPresence(
    ctx,
    user,
    is_shown ? toOnlinePresence(ctx.now, 'active', presence) : toOfflinePresence(ctx.now, presence),
  );
}

async function emitPresence(ctx: PublicCtx, user: User, presence: Presence): Promise<void> {
  await updatePresenceOf(ctx.db, user, presence);
  const account = { user_id: user.id, email: getApiEmail(ctx.realm, user) };
  ctx.emit(presenceEvent(account, presence, ctx.now), await findAudienceOfUser(ctx, user.id));
}
