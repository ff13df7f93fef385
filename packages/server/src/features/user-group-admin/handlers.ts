import type { Handlers } from '../../core/handler.ts';
import { createGroup } from './actions/create.ts';
import { updateMembers } from './actions/members.ts';
import { updateSubgroups } from './actions/subgroups.ts';
import { deleteGroup, updateGroup } from './actions/update.ts';

export const userGroupAdmin = {
  createUserGroup: async (ctx, params) => ({ group_id: await createGroup(ctx, params) }),
  updateUserGroup: (ctx, params) => updateGroup(ctx, params),
  deleteUserGroup: (ctx, { user_group_id }) => deleteGroup(ctx, user_group_id),
  updateUserGroupMembers: (ctx, params) => updateMembers(ctx, params),
  updateUserGroupSubgroups: (ctx, params) => updateSubgroups(ctx, params),
} satisfies Partial<Handlers>;
