import type { Handlers } from '../../core/handler.ts';
import { getMembers, getStream, getStreams } from './actions.ts';

export const streams = {
  getStreams: (ctx, params) => getStreams(ctx, params),
  getStream: async (ctx, { stream_id }) => ({ stream: await getStream(ctx, stream_id) }),
  getStreamMembers: async (ctx, { stream_id }) => ({ subscribers: await getMembers(ctx, stream_id) }),
} satisfies Partial<Handlers>;
