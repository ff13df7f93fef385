import { ROLE } from '../../../access/roles.ts';
import type { PublicCtx, User } from '../../../core/context.ts';
import type { PollEnding } from '../../../core/polls.ts';
import { emitBotRenamed } from '../../bots/index.ts';
import { endQueuesOfUsers } from '../../events/index.ts';
import { rotateEmailAddressesOfNewGuest } from '../../streams/index.ts';
import { changeRoleGroups } from '../../user-groups/index.ts';
import { findAudienceOfUser } from '../../users/index.ts';
import { lockAccount, requireAccountChange, requireAnotherOwner } from '../access.ts';
import { audit } from '../audit.ts';
import { hasUserVisibleToModerators, updateUser } from '../queries.ts';
import { changesVisibility, type Role } from '../rules.ts';

export async function changeRole(ctx: PublicCtx<PollEnding>, id: number, role: Role, actor?: User): Promise<void> {
  const locked = await lockAccount(ctx, id, actor);
  const { user } = locked;
  if (user.role === role) return;
  requireAccountChange(locked, role);
  requireAnotherOwner(locked);
  const changed = await updateUser(ctx.db, ctx.realm.id, id, { role });
  ctx.emit({ type: 'realm_user', op: 'update', person: { user_id: id, role } }, await findAudienceOfUser(ctx, id));
  if (changed) await changeRoleGroups(ctx, changed, user.role);
  if (role === ROLE.guest) await rotateEmailAddressesOfNewGuest(ctx.db, user);
  // What they can see changes as a whole: their clients have to register anew.
  const each_rank = ctx.realm.web_public_streams_enabled || (await hasUserVisibleToModerators(ctx.db, ctx.realm.id));
  if (changesVisibility(user, { role }, each_rank)) await endQueuesOfUsers(ctx, [id]);
  await audit(ctx, actor, 'role changed', { user_id: id, from: user.role, to: role });
}

/** Renames an account, which must be locked. The name must have been validated. */
export async function renameUser(ctx: PublicCtx, user: User, name: string, actor?: User): Promise<void> {
  const full_name = name.trim();
  if (full_name === user.full_name) return;
  await updateUser(ctx.db, ctx.realm.id, user.id, { full_name });
  ctx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: user.id, full_name } },
    await findAudienceOfUser(ctx, user.id),
  );
  if (user.bot_type !== null && user.is_active) emitBotRenamed(ctx, user, full_name);
  await audit(ctx, actor, 'name changed', { user_id: user.id, from: user.full_name, to: full_name });
}

/** The one permission that only operators grant (docs/behaviour/command-line.md#permission-to-create-users). */
export async function updateCanCreateUsers(ctx: PublicCtx, id: number, can_create_users: boolean): Promise<void> {
  await lockAccount(ctx, id);
  await updateUser(ctx.db, ctx.realm.id, id, { can_create_users });
  await audit(ctx, undefined, can_create_users ? 'can_create_users granted' : 'can_create_users revoked', {
    user_id: id,
  });
}
