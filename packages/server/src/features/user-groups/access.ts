import type { PublicCtx } from '../../core/context.ts';
import { refuse } from '../../core/errors.ts';
import { findGroup } from './queries/groups.ts';
import { type GroupSetting, settingGroupProblem } from './rules.ts';

/** Refuses a group that does not exist or that this setting cannot name (behaviour 3.6). */
export async function requireSettingGroup(ctx: PublicCtx, setting: GroupSetting, group_id: number): Promise<void> {
  const group = await findGroup(ctx.db, ctx.realm.id, group_id);
  if (!group) refuse('BAD_REQUEST', `${setting}: there is no group ${group_id}.`);
  const problem = settingGroupProblem(setting, group);
  if (problem !== undefined) refuse('BAD_REQUEST', problem);
}
