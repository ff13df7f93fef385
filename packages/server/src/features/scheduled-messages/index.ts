export { deliverDue } from './actions/deliver.ts';
export { scheduledMessagesState } from './actions/list.ts';
