export { changeFlag, emitRead, markConversationAsRead, requireFlagChange } from './actions.ts';
export { type MessageView, messageView } from './message-view-sql.ts';
export { isTopicReadable } from './queries/find.ts';
export { insertIntoHistory } from './queries/keep.ts';
export { insertDefaultReadRanges, markSeqsRead } from './queries/mark.ts';
export { starredState, unreadState } from './state.ts';
