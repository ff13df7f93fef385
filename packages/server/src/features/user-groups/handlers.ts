import type { Handlers } from '../../core/handler.ts';
import { createGroup } from './actions/create.ts';
import { getMembers, getSubgroups, isMember } from './actions/list.ts';
import { updateMembers } from './actions/members.ts';
import { updateSubgroups } from './actions/subgroups.ts';
import { deleteGroup, updateGroup } from './actions/update.ts';
import { listGroups } from './queries/groups.ts';

export const userGroups = {
  getUserGroups: async (ctx) => ({ user_groups: await listGroups(ctx.db, ctx.realm.id) }),
  createUserGroup: async (ctx, params) => ({ group_id: await createGroup(ctx, params) }),
  updateUserGroup: (ctx, params) => updateGroup(ctx, params),
  deleteUserGroup: (ctx, { user_group_id }) => deleteGroup(ctx, user_group_id),
  getUserGroupMembers: async (ctx, params) => ({ members: await getMembers(ctx, params) }),
  updateUserGroupMembers: (ctx, params) => updateMembers(ctx, params),
  getUserGroupMembership: async (ctx, params) => ({ is_user_group_member: await isMember(ctx, params) }),
  getUserGroupSubgroups: async (ctx, params) => ({ subgroups: await getSubgroups(ctx, params) }),
  updateUserGroupSubgroups: (ctx, params) => updateSubgroups(ctx, params),
} satisfies Partial<Handlers>;
