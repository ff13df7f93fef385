import type { Handlers } from '../../core/handler.ts';
import { archiveStream } from './actions/archive.ts';
import { getMembers, getStream, getStreamId, getStreams } from './actions/list.ts';

export const streams = {
  getStreams: (ctx, params) => getStreams(ctx, params),
  getStream: async (ctx, { stream_id }) => ({ stream: await getStream(ctx, stream_id) }),
  getStreamId: async (ctx, { stream }) => ({ stream_id: await getStreamId(ctx, stream) }),
  archiveStream: (ctx, { stream_id }) => archiveStream(ctx, stream_id),
  getStreamMembers: async (ctx, { stream_id }) => ({ subscribers: await getMembers(ctx, stream_id) }),
} satisfies Partial<Handlers>;
