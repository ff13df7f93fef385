import type { Handlers } from '../../core/handler.ts';
import { getPresences, getUserPresence } from './actions/list.ts';
import { updatePresence } from './actions/update.ts';

export const presence = {
  updatePresence: (ctx, params) => updatePresence(ctx, params),
  getUserPresence: (ctx, { user_id }) => getUserPresence(ctx, user_id),
  getPresences: (ctx) => getPresences(ctx),
} satisfies Partial<Handlers>;
