import type { Handlers } from '../../core/handler.ts';
import { deleteMessage, deleteTopic } from './actions/delete.ts';
import { getMessage, getMessages } from './actions/fetch.ts';
import { updateMessageFlagsForNarrow } from './actions/flag.ts';
import { getMessageHistory } from './actions/history.ts';
import { matchNarrow } from './actions/match.ts';
import { getReadReceipts } from './actions/receipts.ts';
import { renderMessage } from './actions/render.ts';
import { sendMessage } from './actions/send.ts';
import { updateMessage } from './actions/update.ts';

export const messages = {
  sendMessage: (ctx, params) => sendMessage(ctx, params),
  getMessages: (ctx, params) => getMessages(ctx, params),
  updateMessage: (ctx, params) => updateMessage(ctx, params),
  deleteMessage: (ctx, { message_id }) => deleteMessage(ctx, message_id),
  deleteTopic: (ctx, params) => deleteTopic(ctx, params),
  getMessageHistory: (ctx, params) => getMessageHistory(ctx, params),
  renderMessage: async (ctx, { content }) => ({ rendered: await renderMessage(ctx, content) }),
  getReadReceipts: async (ctx, { message_id }) => ({ user_ids: await getReadReceipts(ctx, message_id) }),
  matchNarrow: async (ctx, params) => ({ messages: await matchNarrow(ctx, params) }),
  getMessage: (ctx, params) => getMessage(ctx, params),
  updateMessageFlagsForNarrow: (ctx, params) => updateMessageFlagsForNarrow(ctx, params),
} satisfies Partial<Handlers>;
