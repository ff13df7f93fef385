export { changeFlag, emitRead, markConversationAsRead, requireFlagChange } from './actions.ts';
export { toFlags } from './flag-bits.ts';
export { type MessageView, messageView, messageViewOf } from './message-view-sql.ts';
export { isTopicReadable } from './queries/find-readable.ts';
export { insertDefaultReadRanges, markSeqsRead } from './queries/mark-ranges-read.ts';
export { insertIntoHistory } from './queries/stored-flags.ts';
export { selectUnreadSeqs } from './queries/unread-spans.ts';
export { starredState, unreadState } from './state.ts';
