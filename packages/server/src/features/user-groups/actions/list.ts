import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { requireUser } from '../../users/index.ts';
import { requireGroup } from '../access.ts';
import { isInGroup, listGroupMemberIds } from '../queries/groups.ts';
import { listDirectMemberIds, listDirectMembersAmong } from '../queries/members.ts';
import { listDirectSubgroupIds, listSubgroupIds } from '../queries/subgroups.ts';

export async function getMembers(ctx: Ctx, params: Params<'getUserGroupMembers'>): Promise<number[]> {
  const { id } = await requireGroup(ctx, params.user_group_id);
  if (params.direct_member_only) return listDirectMemberIds(ctx.db, ctx.realm.id, id);
  return (await listGroupMemberIds(ctx.db, ctx.realm.id, [id])).get(id) ?? [];
}

export async function isMember(ctx: Ctx, params: Params<'getUserGroupMembership'>): Promise<boolean> {
  const group = await requireGroup(ctx, params.user_group_id);
  const user = await requireUser(ctx, params.user_id);
  if (!params.direct_member_only) return isInGroup(ctx.db, ctx.realm.id, group.id, user.id);
  return (await listDirectMembersAmong(ctx.db, ctx.realm.id, group.id, [user.id])).length > 0;
}

export async function getSubgroups(ctx: Ctx, params: Params<'getUserGroupSubgroups'>): Promise<number[]> {
  const { id } = await requireGroup(ctx, params.user_group_id);
  return params.direct_subgroup_only
    ? listDirectSubgroupIds(ctx.db, ctx.realm.id, id)
    : listSubgroupIds(ctx.db, ctx.realm.id, id);
}
