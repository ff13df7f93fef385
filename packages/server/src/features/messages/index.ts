export { requireMessage } from './access.ts';
export { messageState } from './actions/fetch.ts';
export { type Notice, sendAsNotificationBot, sendDirectAsNotificationBot } from './actions/notify.ts';
export type { SeenMessage } from './queries/fetch.ts';
export { cleanContent, contentProblem, topicProblem } from './rules/send.ts';
