export { deliverDue } from './actions/deliver.ts';
export { getScheduledMessages as scheduledMessagesState } from './actions/list.ts';
