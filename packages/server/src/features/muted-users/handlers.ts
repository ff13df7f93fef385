import type { Handlers } from '../../core/handler.ts';
import { muteUser, unmuteUser } from './actions.ts';

export const mutedUsers = {
  muteUser: (ctx, { user_id }) => muteUser(ctx, user_id),
  unmuteUser: (ctx, { user_id }) => unmuteUser(ctx, user_id),
} satisfies Partial<Handlers>;
