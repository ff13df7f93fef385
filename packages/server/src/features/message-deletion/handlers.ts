import type { Handlers } from '../../core/handler.ts';
import { deleteMessage, deleteTopic } from './actions/delete.ts';

export const messageDeletion = {
  deleteMessage: (ctx, { message_id }) => deleteMessage(ctx, message_id),
  deleteTopic: (ctx, params) => deleteTopic(ctx, params),
} satisfies Partial<Handlers>;
