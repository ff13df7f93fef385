export { ownerOf } from './actions.ts';
export { toClientId } from './client-event-ids.ts';
export { endPollsOfUser, endQueuesOfTokens, endQueuesOfUsers } from './end-queues.ts';
export { eventStreams } from './event-stream-handlers.ts';
export { defaultTimes, type PollOptions, type PollTimes } from './poll-options.ts';
export { createPolls, type PollServer } from './process-polls.ts';
export { deleteQueueOf, insertQueue, type QueueStart, startQueueAtSnapshot, startQueueNow } from './queries.ts';
export { narrowProblem } from './rules.ts';
export { sweepQueues } from './sweep.ts';
