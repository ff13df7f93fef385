import type { Handlers } from '../../core/handler.ts';
import { archiveStream } from './actions/archive.ts';
import { getMembers, getStream, getStreamId, getStreams } from './actions/list.ts';
import { updateStream } from './actions/update.ts';

export const streams = {
  getStreams: (ctx, params) => getStreams(ctx, params),
  getStream: async (ctx, { stream_id }) => ({ stream: await getStream(ctx, stream_id) }),
  getStreamId: async (ctx, { stream }) => ({ stream_id: await getStreamId(ctx, stream) }),
  addDefaultStream: (ctx, { stream_id }) => updateStream(ctx, { stream_id, is_default_stream: true }),
  removeDefaultStream: (ctx, { stream_id }) => updateStream(ctx, { stream_id, is_default_stream: false }),
  updateStream: (ctx, params) => updateStream(ctx, params),
  archiveStream: (ctx, { stream_id }) => archiveStream(ctx, stream_id),
  getStreamMembers: async (ctx, { stream_id }) => ({ subscribers: await getMembers(ctx, stream_id) }),
} satisfies Partial<Handlers>;
