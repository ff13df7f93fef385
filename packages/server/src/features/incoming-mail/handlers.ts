import type { Handlers } from '../../core/handler.ts';
import { getStreamEmailAddress } from './actions.ts';

export const incomingMail = {
  getStreamEmailAddress: (ctx, { stream_id }) => getStreamEmailAddress(ctx, stream_id),
} satisfies Partial<Handlers>;
