import type { Handlers } from '../../core/handler.ts';
import { addReaction, removeReaction } from './actions.ts';

export const reactions = {
  addReaction: (ctx, params) => addReaction(ctx, params),
  removeReaction: (ctx, params) => removeReaction(ctx, params),
} satisfies Partial<Handlers>;
