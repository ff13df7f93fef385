import type { Handlers } from '../../core/handler.ts';
import { acknowledgeEvents, deleteQueue, poll } from './actions.ts';

export const events = {
  getEvents: (ctx, params) => poll(ctx, params),
  acknowledgeEvents: (ctx, params) => acknowledgeEvents(ctx, params),
  deleteQueue: (ctx, { queue_id }) => deleteQueue(ctx, queue_id),
} satisfies Partial<Handlers>;
