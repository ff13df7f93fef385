export { failUnknownMessage, requireMessage, requireMessageInHistory } from './access.ts';
export { followTopicAfterReacting } from './actions/automatic.ts';
export { type CheckedMessage, requireSendable } from './actions/check.ts';
export { type Composed, compose, requireGroupMentions } from './actions/compose.ts';
export { type NotificationMessage, sendAsNotificationBot, sendDirectAsNotificationBot } from './actions/notify.ts';
export { listParticipants, requireWildcardMentions } from './actions/post.ts';
export { prepareMessages } from './actions/prepare.ts';
export { findPostable, findUsersByIdOrEmail, requireTarget } from './actions/recipients.ts';
export { sendMessage } from './actions/send.ts';
export {
  type MessageFormat,
  type MessageUser,
  type PresentableMessage,
  type PresentableReaction,
  presentMessage,
} from './present.ts';
export { listWatchedWordsOfHolders } from './queries/alerts.ts';
export { memberKey } from './queries/direct.ts';
export { lockConversations, lockTopics } from './queries/lock.ts';
export { countSubscribers, listParticipantsOf } from './queries/mentions.ts';
export {
  groupParticipants,
  listSeenMessages,
  type Participant,
  type SeenMessage,
  type ShownMessage,
  type ShownMessageRow,
  shownColumns,
  toShownMessage,
} from './queries/seen.ts';
export { allocateSeqs } from './queries/send.ts';
export { listAlertedUsers, listAlertPieces } from './rules/alerts.ts';
export {
  contentProblem,
  getClientName,
  getSendLane,
  isReadFromStart,
  normalizeContent,
  topicProblem,
} from './rules/send.ts';
export { messageState, recentDirectState } from './state.ts';
