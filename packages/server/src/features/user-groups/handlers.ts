import type { Handlers } from '../../core/handler.ts';
import { getMembers, getSubgroups, isMember } from './actions/list.ts';
import { listGroups } from './queries/groups.ts';

export const userGroups = {
  getUserGroups: async (ctx) => ({ user_groups: await listGroups(ctx.db, ctx.realm.id) }),
  getUserGroupMembers: async (ctx, params) => ({ members: await getMembers(ctx, params) }),
  getUserGroupMembership: async (ctx, params) => ({ is_user_group_member: await isMember(ctx, params) }),
  getUserGroupSubgroups: async (ctx, params) => ({ subgroups: await getSubgroups(ctx, params) }),
} satisfies Partial<Handlers>;
