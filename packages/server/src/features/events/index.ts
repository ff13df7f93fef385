export { endQueuesOfTokens, endQueuesOfUsers } from './end-queues.ts';
export { defaultTimes, type PollOptions, type PollTimes } from './poll-options.ts';
export { createPolls, type PollServer } from './polls.ts';
export { eventStreams } from './stream-handlers.ts';
export { sweepQueues } from './sweep.ts';
