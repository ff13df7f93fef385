import type { Ctx, PublicCtx, User } from '../../core/context.ts';
import { failForbidden, failInvalid, failUnknown } from '../../core/errors.ts';
import { listUsersByIds } from '../users/index.ts';
import { type EditableGroup, lockGroup } from './queries/edit.ts';
import { findGroup, type GroupRow } from './queries/groups.ts';
import { listDirectMembersAmong } from './queries/members.ts';
import { canEditGroups, editProblem } from './rules/edit.ts';
import { type GroupSetting, settingGroupProblem } from './rules/system.ts';

/**
 * Fails for a group that does not exist or that this setting cannot name
 * (docs/behaviour/user-groups.md#groups-in-settings).
 */
export async function requireSettingGroup(ctx: PublicCtx, setting: GroupSetting, group_id: number): Promise<void> {
  const group = await findGroup(ctx.db, ctx.realm.id, group_id, 'key share');
  if (!group) failUnknown(`${setting}: there is no user group ${group_id}.`);
  const problem = settingGroupProblem(setting, group);
  if (problem !== undefined) failInvalid(problem);
}

export async function requireGroup(ctx: PublicCtx, group_id: number): Promise<GroupRow> {
  return (await findGroup(ctx.db, ctx.realm.id, group_id)) ?? unknownGroup(group_id);
}

/** Fails if `user_group_edit_policy` does not let the caller create or change groups. */
export function requireEditor({ me, realm, now }: Ctx): void {
  if (!canEditGroups(me, realm.settings, now)) {
    failForbidden('The user_group_edit_policy of this organization does not let you make or change groups.');
  }
}

/**
 * Returns the group, locked, if the caller can change it; checked in the order of
 * docs/behaviour/user-groups.md#order-of-checks.
 */
export async function requireEditableGroup(
  ctx: Ctx,
  group_id: number,
  strength: Parameters<typeof lockGroup>[3] = 'no key update',
): Promise<EditableGroup> {
  const group = (await lockGroup(ctx.db, ctx.realm.id, group_id, strength)) ?? unknownGroup(group_id);
  requireEditor(ctx);
  const memberIds = await listDirectMembersAmong(ctx.db, ctx.realm.id, group_id, [ctx.me.id]);
  const problem = editProblem(ctx.me, group, memberIds.length > 0);
  return problem === undefined ? group : failForbidden(problem);
}

const unknownGroup = (group_id: number): never => failUnknown(`user_group_id: there is no user group ${group_id}.`);

/**
 * Those of these ids that are users or bots, deactivated ones included. Visibility is not checked: callers who get here
 * can see all users.
 */
export async function listUsersAmong(ctx: Ctx, ids: readonly number[]): Promise<ReadonlyMap<number, User>> {
  const users = await listUsersByIds(ctx.db, ctx.realm.id, ids);
  return new Map(users.filter(({ is_system_bot }) => !is_system_bot).map((user) => [user.id, user]));
}
