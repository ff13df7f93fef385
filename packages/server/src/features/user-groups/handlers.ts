import type { Handlers } from '../../core/handler.ts';
import { listGroups } from './queries/groups.ts';

export const userGroups = {
  getUserGroups: async (ctx) => ({ user_groups: await listGroups(ctx.db, ctx.realm.id) }),
} satisfies Partial<Handlers>;
