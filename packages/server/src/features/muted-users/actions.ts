import type { Ctx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { refuse } from '../../core/errors.ts';
import { requireRoom } from '../../core/require-room.ts';
import { lockUser, requireUser } from '../users/index.ts';
import { deleteMute, insertMute, listMuted, type Mute } from './queries.ts';

type Muted = Required<Pick<Schema<'State'>, 'muted_users'>>;

/** Notes that the caller would rather not hear from somebody. What that hides is a matter of clients. */
export async function muteUser(ctx: Ctx, user_id: number): Promise<void> {
  if (user_id === ctx.me.id) refuse('BAD_REQUEST', 'You cannot mute yourself.');
  await requireUser(ctx, user_id);
  await lockUser(ctx.db, ctx.me);
  if (!(await insertMute(ctx.db, muteOf(ctx, user_id), ctx.now))) {
    refuse('BAD_REQUEST', `You have muted the user ${user_id} already.`);
  }
  await requireRoom(ctx, 'muted_users', 0);
  await tellMuted(ctx);
}

/** Takes it back, also of somebody whom the caller has lost from sight since. */
export async function unmuteUser(ctx: Ctx, user_id: number): Promise<void> {
  await lockUser(ctx.db, ctx.me);
  if (!(await deleteMute(ctx.db, muteOf(ctx, user_id)))) {
    await requireUser(ctx, user_id);
    refuse('BAD_REQUEST', `You have not muted the user ${user_id}.`);
  }
  await tellMuted(ctx);
}

/** The part of `POST /register` about whom the caller has muted. */
export async function mutedUsersState(ctx: Ctx): Promise<Muted> {
  return { muted_users: await listMuted(ctx.db, ctx.realm.id, ctx.me.id) };
}

const muteOf = ({ realm, me }: Ctx, muted_user_id: number): Mute => ({
  realm_id: realm.id,
  user_id: me.id,
  muted_user_id,
});

/** The event has everybody, so of two changes at once the later one sees the earlier one: the caller's account is locked. */
async function tellMuted(ctx: Ctx): Promise<void> {
  ctx.emit({ type: 'muted_users', ...(await mutedUsersState(ctx)) }, { users: [ctx.me.id] });
}
