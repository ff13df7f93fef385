import type { Handlers } from '../../core/handler.ts';
import { getReadReceipts } from './actions/receipts.ts';
import { renderMessage } from './actions/render.ts';
import { sendMessage } from './actions/send.ts';

export const messages = {
  sendMessage: (ctx, params) => sendMessage(ctx, params),
  renderMessage: async (ctx, { content }) => ({ rendered: await renderMessage(ctx, content) }),
  getReadReceipts: async (ctx, { message_id }) => ({ user_ids: await getReadReceipts(ctx, message_id) }),
} satisfies Partial<Handlers>;
