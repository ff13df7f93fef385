import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx } from '../../core/context.ts';
import { failConflict, failInvalid } from '../../core/errors.ts';
import { requireRoom } from '../../core/require-room.ts';
import { stateQuery } from '../../core/state-query.ts';
import { lockUser, requireUser } from '../users/index.ts';
import { deleteMute, insertMute, jsonMuted, listMuted, type Mute, type MutedUser } from './queries.ts';

/** Stores that the caller mutes a user. Clients decide what that hides. */
export async function muteUser(ctx: Ctx<CollectionLimiting>, user_id: number): Promise<void> {
  if (user_id === ctx.me.id) failInvalid('You cannot mute yourself.');
  await requireUser(ctx, user_id);
  await lockUser(ctx.db, ctx.me);
  if (!(await insertMute(ctx.db, muteOf(ctx, user_id), ctx.now))) {
    failConflict(`You have muted the user ${user_id} already.`);
  }
  await requireRoom(ctx, 'muted_users', 0);
  await emitMutedUsers(ctx);
}

/** Unmutes a user, even one whom the caller can no longer see. */
export async function unmuteUser(ctx: Ctx, user_id: number): Promise<void> {
  await lockUser(ctx.db, ctx.me);
  if (!(await deleteMute(ctx.db, muteOf(ctx, user_id)))) {
    await requireUser(ctx, user_id);
    failConflict(`You have not muted the user ${user_id}.`);
  }
  await emitMutedUsers(ctx);
}

/** The part of `POST /register` about the caller's muted users. */
export const mutedUsersState = (ctx: Ctx) =>
  stateQuery(jsonMuted(ctx.realm.id, ctx.me.id), (muted_users: MutedUser[]) => ({ muted_users }));

const muteOf = ({ realm, me }: Ctx, muted_user_id: number): Mute => ({
  realm_id: realm.id,
  user_id: me.id,
  muted_user_id,
});

/**
 * The event contains all muted users, so of two concurrent changes the later one must see the earlier one: the caller's
 * account is locked.
 */
async function emitMutedUsers(ctx: Ctx): Promise<void> {
  const muted_users = await listMuted(ctx.db, ctx.realm.id, ctx.me.id);
  ctx.emit({ type: 'muted_users', muted_users }, { users: [ctx.me.id] });
}
