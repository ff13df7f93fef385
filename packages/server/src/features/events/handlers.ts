import type { Handlers, StreamHandlers } from '../../core/handler.ts';
import { acknowledgeEvents, deleteQueue, poll, register, streamEvents } from './actions.ts';

export const events = {
  registerQueue: (ctx, params) => register(ctx, params),
  getEvents: (ctx, params) => poll(ctx, params),
  acknowledgeEvents: (ctx, params) => acknowledgeEvents(ctx, params),
  deleteQueue: (ctx, { queue_id }) => deleteQueue(ctx, queue_id),
} satisfies Partial<Handlers>;

export const eventStreams = {
  getEvents: (ctx, params) => streamEvents(ctx, params),
} satisfies Partial<StreamHandlers>;
