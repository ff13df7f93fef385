import type { Handlers } from '../../core/handler.ts';
import { getTopics } from './actions.ts';

export const topics = {
  getStreamTopics: async (ctx, { stream_id }) => ({ topics: await getTopics(ctx, stream_id) }),
} satisfies Partial<Handlers>;
