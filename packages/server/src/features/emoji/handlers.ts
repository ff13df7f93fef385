import type { Handlers } from '../../core/handler.ts';
import { deactivateCustomEmoji, getCustomEmoji, uploadCustomEmoji } from './actions.ts';

export const emoji = {
  getCustomEmoji: (ctx) => getCustomEmoji(ctx),
  uploadCustomEmoji: (ctx, params) => uploadCustomEmoji(ctx, params),
  deactivateCustomEmoji: (ctx, { name }) => deactivateCustomEmoji(ctx, name),
} satisfies Partial<Handlers>;
