import type { Handlers } from '../../core/handler.ts';
import { updateStream } from './actions/update.ts';

export const streamAdmin = {
  addDefaultStream: (ctx, { stream_id }) => updateStream(ctx, { stream_id, is_default_stream: true }),
  removeDefaultStream: (ctx, { stream_id }) => updateStream(ctx, { stream_id, is_default_stream: false }),
  updateStream: (ctx, params) => updateStream(ctx, params),
} satisfies Partial<Handlers>;
