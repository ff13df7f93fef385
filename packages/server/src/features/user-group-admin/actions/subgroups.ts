import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { failConflict, failOnProblem } from '../../../core/errors.ts';
import { requireRoom } from '../../../core/require-room.ts';
import { insertAudit } from '../../realm/index.ts';
import {
  deleteSubgroups,
  findContaining,
  insertSubgroups,
  listDirectSubgroupIds,
  listGroupsAmong,
  lockSubgroups,
  type MemberChanges,
  memberChangesProblem,
  requireEditableGroup,
  toMemberChanges,
} from '../../user-groups/index.ts';

/**
 * Adds groups to a group, then removes others (docs/behaviour/user-groups.md#change-subgroups). System groups can be
 * added like any other group.
 */
export async function updateSubgroups(
  ctx: Ctx<CollectionLimiting>,
  { user_group_id, ...params }: Params<'updateUserGroupSubgroups'>,
): Promise<void> {
  await lockSubgroups(ctx.db, ctx.realm.id);
  const group = await requireEditableGroup(ctx, user_group_id);
  const exchange = toMemberChanges(params);
  await requireAllowedChange(ctx, group.id, exchange);
  const { add, remove } = exchange;
  await insertSubgroups(ctx.db, ctx.realm.id, group.id, add);
  await deleteSubgroups(ctx.db, ctx.realm.id, group.id, remove);
  if (add.length > remove.length) await requireRoom(ctx, 'subgroups', 0);
  emitSubgroups(ctx, group.id, exchange);
  await insertAudit(ctx, 'user group subgroups changed', { group_id: group.id, add, delete: remove });
}

async function requireAllowedChange(ctx: Ctx, group_id: number, exchange: MemberChanges): Promise<void> {
  const { add, remove } = exchange;
  const known = new Set(await listGroupsAmong(ctx.db, ctx.realm.id, [...add, ...remove]));
  const inside = new Set(await listDirectSubgroupIds(ctx.db, ctx.realm.id, group_id));
  const problem = memberChangesProblem(exchange, { noun: 'user group', known, inside });
  failOnProblem(problem);
  const around = await findContaining(ctx.db, ctx.realm.id, add, group_id);
  if (around !== undefined) {
    failConflict(`add: the user group ${around} is this group or has it inside, and no group can be inside itself.`);
  }
}

function emitSubgroups(ctx: Ctx, group_id: number, { add, remove }: MemberChanges): void {
  const emitOp = (op: 'add_subgroups' | 'remove_subgroups', ids: readonly number[]) => {
    if (ids.length > 0)
      ctx.emit({ type: 'user_group', op, group_id, direct_subgroup_ids: [...ids] }, { everyone: true });
  };
  emitOp('add_subgroups', add);
  emitOp('remove_subgroups', remove);
}
