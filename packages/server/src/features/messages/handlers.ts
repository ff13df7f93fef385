import type { Handlers } from '../../core/handler.ts';
import { getMessage, getMessages } from './actions/fetch.ts';
import { sendMessage } from './actions/send.ts';

export const messages = {
  sendMessage: (ctx, params) => sendMessage(ctx, params),
  getMessages: (ctx, params) => getMessages(ctx, params),
  getMessage: (ctx, params) => getMessage(ctx, params),
} satisfies Partial<Handlers>;
