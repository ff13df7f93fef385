import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { failConflict, failInvalid } from '../../../core/errors.ts';
import { insertAudit } from '../../realm/index.ts';
import {
  changesProblem,
  deleteGroup as deleteGroupRow,
  findMentionedBy,
  type GroupChanges,
  listGroupChanges,
  listGroupsByNames,
  requireEditableGroup,
  requireSettingGroup,
  updateGroup as updateGroupRow,
} from '../../user-groups/index.ts';

/**
 * Changes a group (docs/behaviour/user-groups.md#change-a-group): all requested changes, or none. Each change is
 * emitted as an event of its own.
 */
export async function updateGroup(ctx: Ctx, { user_group_id, ...params }: Params<'updateUserGroup'>): Promise<void> {
  const group = await requireEditableGroup(ctx, user_group_id);
  const requested = { ...params, ...(params.name !== undefined && { name: params.name.trim() }) };
  await requireAllowedChange(ctx, requested, user_group_id);
  const changes = listGroupChanges(group, requested);
  if (Object.keys(changes).length === 0) return;
  await updateGroupRow(ctx.db, ctx.realm.id, group.id, changes);
  for (const [property, value] of Object.entries(changes)) {
    const data = { [property]: value };
    ctx.emit({ type: 'user_group', op: 'update', group_id: group.id, data }, { everyone: true });
  }
  await insertAudit(ctx, 'user group changed', { group_id: group.id, ...changes });
}

async function requireAllowedChange(ctx: Ctx, requested: GroupChanges, id: number): Promise<void> {
  const problem = changesProblem(requested);
  if (problem !== undefined) failInvalid(problem);
  const { name, can_mention_group } = requested;
  if (can_mention_group !== undefined) await requireSettingGroup(ctx, 'can_mention_group', can_mention_group);
  const holders = name === undefined ? [] : await listGroupsByNames(ctx.db, ctx.realm.id, [name]);
  if (holders.some((holder) => holder.id !== id)) failConflict(`name: there is already a group "${name}".`);
}

/**
 * Deletes a group (docs/behaviour/user-groups.md#delete-a-group), unless another group names it as its
 * can_mention_group.
 */
export async function deleteGroup(ctx: Ctx, user_group_id: number): Promise<void> {
  const group = await requireEditableGroup(ctx, user_group_id, 'update');
  const other = await findMentionedBy(ctx.db, ctx.realm.id, group.id);
  if (other !== undefined) {
    failConflict(`The group "${group.name}" is the can_mention_group of the group "${other}".`);
  }
  await deleteGroupRow(ctx.db, ctx.realm.id, group.id);
  ctx.emit({ type: 'user_group', op: 'remove', group_id: group.id }, { everyone: true });
  await insertAudit(ctx, 'user group deleted', { group_id: group.id, name: group.name });
}
