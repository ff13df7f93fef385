import type { Handlers } from '../../core/handler.ts';
import { getTopics, updateMutedTopic, updateUserTopic } from './actions.ts';

export const topics = {
  getStreamTopics: async (ctx, { stream_id }) => ({ topics: await getTopics(ctx, stream_id) }),
  updateUserTopic: (ctx, params) => updateUserTopic(ctx, params),
  updateMutedTopic: (ctx, params) => updateMutedTopic(ctx, params),
} satisfies Partial<Handlers>;
