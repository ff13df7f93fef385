import type { Handlers } from '../../core/handler.ts';
import { markAllAsRead, markStreamAsRead, markTopicAsRead, updateMessageFlags } from './actions.ts';

export const flags = {
  updateMessageFlags: (ctx, params) => updateMessageFlags(ctx, params),
  markAllAsRead: (ctx) => markAllAsRead(ctx),
  markStreamAsRead: (ctx, { stream_id }) => markStreamAsRead(ctx, stream_id),
  markTopicAsRead: (ctx, params) => markTopicAsRead(ctx, params),
} satisfies Partial<Handlers>;
