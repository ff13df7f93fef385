export { noSuchMessage, requireMessage, requireMessageHeld } from './access.ts';
export { followAsReactor } from './actions/automatic.ts';
export { messageState } from './actions/fetch.ts';
export { type Notice, sendAsNotificationBot, sendDirectAsNotificationBot } from './actions/notify.ts';
export { findPeople, findPostable } from './actions/recipients.ts';
export type { SeenMessage } from './queries/fetch.ts';
export { countSubscribers } from './queries/mentions.ts';
export { cleanContent, contentProblem, topicProblem } from './rules/send.ts';
