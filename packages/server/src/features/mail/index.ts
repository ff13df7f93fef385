export { queueEmail, sendQueuedEmails } from './actions.ts';
export { countQueuedEmails } from './queries.ts';
