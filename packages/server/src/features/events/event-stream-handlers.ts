import type { StreamHandlers } from '../../core/handler.ts';
import { streamEvents } from './actions.ts';

export const eventStreams = {
  getEvents: (ctx, params) => streamEvents(ctx, params),
} satisfies Partial<StreamHandlers>;
