export { type MessageView, messageView, readableMessages } from './access-sql.ts';
export { changeFlag, emitRead, markConversationAsRead, requireFlagChange } from './actions.ts';
export { isTopicReadable } from './queries/find.ts';
export { insertIntoHistory } from './queries/keep.ts';
export { insertDefaultReadRanges, markSeqsRead } from './queries/mark.ts';
export { starredState, unreadState } from './state.ts';
