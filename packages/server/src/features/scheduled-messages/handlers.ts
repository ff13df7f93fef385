import type { Handlers } from '../../core/handler.ts';
import { deleteScheduledMessage, updateScheduledMessage } from './actions/edit.ts';
import { getScheduledMessages } from './actions/list.ts';
import { scheduleMessage } from './actions/schedule.ts';

export const scheduledMessages = {
  getScheduledMessages: (ctx, params) => getScheduledMessages(ctx, params),
  scheduleMessage: (ctx, params) => scheduleMessage(ctx, params),
  updateScheduledMessage: (ctx, params) => updateScheduledMessage(ctx, params),
  deleteScheduledMessage: (ctx, { scheduled_message_id }) => deleteScheduledMessage(ctx, scheduled_message_id),
} satisfies Partial<Handlers>;
