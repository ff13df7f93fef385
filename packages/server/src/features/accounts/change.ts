import type { PublicCtx, User } from '../../core/context.ts';
import { refuse } from '../../core/errors.ts';
import { hashPassword, passwordProblem } from '../auth/index.ts';
import { endQueuesOf } from '../events/index.ts';
import { isAdministrator, isGuest, ROLE } from '../realm/index.ts';
import { changeRoleGroups } from '../user-groups/index.ts';
import { audienceOfUser } from '../users/index.ts';
import { audit } from './actions.ts';
import { findUserForUpdate, listOwnedBots, listOwnersForUpdate, updateUser } from './queries.ts';

/** The account, locked against other changes. The Notification Bot is nobody's to change. */
async function requireAccount(ctx: PublicCtx, id: number): Promise<User> {
  const user = await findUserForUpdate(ctx.db, ctx.realm.id, id);
  return user && !user.is_system_bot ? user : refuse('BAD_REQUEST', `There is no user ${id}.`);
}

async function keepAnOwner(ctx: PublicCtx, user: User): Promise<void> {
  if (user.role !== ROLE.owner || !user.is_active) return;
  const owners = await listOwnersForUpdate(ctx.db, ctx.realm.id);
  if (owners.length === 1 && owners[0] === user.id)
    refuse('BAD_REQUEST', 'The last owner of an organization stays its owner.');
}

/** Deactivates an account and the bots it owns. Their keys and queues end at once. */
export async function deactivateUser(ctx: PublicCtx, id: number, actor?: User): Promise<void> {
  const user = await requireAccount(ctx, id);
  if (!user.is_active) return;
  await keepAnOwner(ctx, user);
  for (const account of [user, ...(await listOwnedBots(ctx.db, ctx.realm.id, id))]) {
    await updateUser(ctx.db, ctx.realm.id, account.id, { is_active: false });
    await endQueuesOf(ctx, account.id);
    ctx.emit(
      { type: 'realm_user', op: 'update', person: { user_id: account.id, is_active: false } },
      await audienceOfUser(ctx, account.id),
    );
    await audit(ctx, actor, 'user deactivated', { user_id: account.id });
  }
}

export async function reactivateUser(ctx: PublicCtx, id: number, actor?: User): Promise<void> {
  const user = await requireAccount(ctx, id);
  if (user.is_active) return;
  await updateUser(ctx.db, ctx.realm.id, id, { is_active: true });
  ctx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: id, is_active: true } },
    await audienceOfUser(ctx, id),
  );
  await audit(ctx, actor, 'user reactivated', { user_id: id });
}

export async function changeRole(
  ctx: PublicCtx,
  id: number,
  role: 100 | 200 | 300 | 400 | 600,
  actor?: User,
): Promise<void> {
  const user = await requireAccount(ctx, id);
  if (user.role === role) return;
  await keepAnOwner(ctx, user);
  const changed = await updateUser(ctx.db, ctx.realm.id, id, { role });
  ctx.emit({ type: 'realm_user', op: 'update', person: { user_id: id, role } }, await audienceOfUser(ctx, id));
  if (changed) await changeRoleGroups(ctx, changed, user.role);
  // Which streams they can see changes as a whole: their clients start afresh from a new registration.
  if (isGuest({ role }) !== isGuest(user) || isAdministrator({ role }) !== isAdministrator(user))
    await endQueuesOf(ctx, id);
  await audit(ctx, actor, 'role changed', { user_id: id, from: user.role, to: role });
}

/** Gives an account, which is locked, another name. The name has been found good. */
export async function renameUser(ctx: PublicCtx, user: User, name: string, actor?: User): Promise<void> {
  const full_name = name.trim();
  if (full_name === user.full_name) return;
  await updateUser(ctx.db, ctx.realm.id, user.id, { full_name });
  ctx.emit(
    { type: 'realm_user', op: 'update', person: { user_id: user.id, full_name } },
    await audienceOfUser(ctx, user.id),
  );
  await audit(ctx, actor, 'name changed', { user_id: user.id, from: user.full_name, to: full_name });
}

export async function resetPassword(ctx: PublicCtx, id: number, password: string, actor?: User): Promise<void> {
  const user = await requireAccount(ctx, id);
  if (user.bot_type !== null) refuse('BAD_REQUEST', 'Bots have no password.');
  const weak = passwordProblem(password, [user.delivery_email, user.full_name]);
  if (weak !== undefined) refuse('BAD_REQUEST', `password: ${weak}`);
  await updateUser(ctx.db, ctx.realm.id, id, { password_hash: await hashPassword(password) });
  await audit(ctx, actor, 'password reset', { user_id: id });
}

/** Ends every API key handed out for the account and gives the new one. */
export async function rotateKey(ctx: PublicCtx, id: number, actor?: User): Promise<string> {
  const user = await requireAccount(ctx, id);
  const key_version = user.key_version + 1;
  await updateUser(ctx.db, ctx.realm.id, id, { key_version });
  await audit(ctx, actor, 'key rotated', { user_id: id });
  return ctx.server.apiKeyOf({ ...user, key_version });
}

/** The one permission that only operators give (behaviour 1.8). */
export async function allowCreatingUsers(ctx: PublicCtx, id: number, can_create_users: boolean): Promise<void> {
  await requireAccount(ctx, id);
  await updateUser(ctx.db, ctx.realm.id, id, { can_create_users });
  await audit(ctx, undefined, can_create_users ? 'can_create_users granted' : 'can_create_users revoked', {
    user_id: id,
  });
}
