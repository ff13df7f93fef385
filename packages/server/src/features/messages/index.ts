export { failUnknownMessage, requireMessage, requireMessageInHistory } from './access.ts';
export { followTopicAfterReacting } from './actions/automatic.ts';
export { type CheckedMessage, requireSendable } from './actions/check.ts';
export { messageState, recentDirectState } from './actions/fetch.ts';
export { type NotificationMessage, sendAsNotificationBot, sendDirectAsNotificationBot } from './actions/notify.ts';
export { findPeople, findPostable } from './actions/recipients.ts';
export {
  deleteAllExpiredMessages,
  deleteExpiredMessages,
  type ExpiredMessages,
  listExpired,
} from './actions/retention.ts';
export { sendMessage } from './actions/send.ts';
export type { SeenMessage } from './queries/fetch.ts';
export { countSubscribers } from './queries/mentions.ts';
export { contentProblem, getClientName, isReadFromStart, normalizeContent, topicProblem } from './rules/send.ts';
