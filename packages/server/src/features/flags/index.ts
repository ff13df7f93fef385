export { type MessageView, readableMessages } from './access-sql.ts';
export { markConversationRead } from './actions.ts';
export { markSeqsRead } from './queries/mark.ts';
export { starredState, unreadState } from './state.ts';
