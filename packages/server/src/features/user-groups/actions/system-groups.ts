import type { PublicCtx, User } from '../../../core/context.ts';
import { withLockedSettings } from '../../realm/index.ts';
import { deleteNewMembers, insertFullMembers } from '../queries/full-members.ts';
import { listSystemGroups } from '../queries/groups.ts';
import { deleteFromSystemGroups, insertIntoSystemGroups } from '../queries/role-groups.ts';
import { listGroupsOfRole, listSystemGroupsOf, type SystemGroupName } from '../rules/system.ts';
import { emitMembers } from '../visible.ts';

const DAY = 86_400_000;

export async function systemGroupIds(db: PublicCtx['db'], realm_id: number): Promise<Record<SystemGroupName, number>> {
  const groups = await listSystemGroups(db, realm_id);
  return Object.fromEntries(groups.map(({ name, id }) => [name, id])) as Record<SystemGroupName, number>;
}

/** Adds a new account to the groups of its role. */
export async function joinRoleGroups(ctx: PublicCtx, user: User): Promise<void> {
  const names = listSystemGroupsOf(user, await lockWaitingPeriodForShare(ctx));
  for (const group_id of await insertIntoSystemGroups(ctx.db, user, names))
    await emitMembers(ctx, 'add_members', group_id, [user.id]);
}

/** Moves an account whose role has changed from the groups of the old role to those of the new one. */
export async function changeRoleGroups(ctx: PublicCtx, user: User, old_role: number): Promise<void> {
  const newNames = listSystemGroupsOf(user, await lockWaitingPeriodForShare(ctx));
  const oldNames = listGroupsOfRole(old_role).filter((name) => !newNames.includes(name));
  for (const group_id of await deleteFromSystemGroups(ctx.db, user, oldNames))
    await emitMembers(ctx, 'remove_members', group_id, [user.id]);
  await joinRoleGroups(ctx, user);
}

/** Updates role:fullmembers. It is a job, because a waiting period ends without a request. */
export async function refreshFullMembers(ctx: PublicCtx): Promise<void> {
  const { waiting_period_threshold } = await lockWaitingPeriodForShare(ctx);
  const cutoff = new Date(ctx.now.getTime() - waiting_period_threshold * DAY);
  const group_id = (await systemGroupIds(ctx.db, ctx.realm.id))['role:fullmembers'];
  await emitMembers(ctx, 'remove_members', group_id, await deleteNewMembers(ctx.db, ctx.realm.id, group_id, cutoff));
  await emitMembers(ctx, 'add_members', group_id, await insertFullMembers(ctx.db, ctx.realm.id, group_id, cutoff));
}

/** Read again and locked for share: the waiting period must not change between the decision and the commit. */
async function lockWaitingPeriodForShare(ctx: PublicCtx) {
  const { realm, now } = await withLockedSettings(ctx);
  return { waiting_period_threshold: realm.settings.waiting_period_threshold, now };
}
