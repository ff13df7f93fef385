import type { Handlers } from '../../core/handler.ts';
import { getMessageHistory } from './actions/history.ts';
import { updateMessage } from './actions/update.ts';

export const messageEdits = {
  updateMessage: (ctx, params) => updateMessage(ctx, params),
  getMessageHistory: (ctx, params) => getMessageHistory(ctx, params),
} satisfies Partial<Handlers>;
