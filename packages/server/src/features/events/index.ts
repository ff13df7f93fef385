export { endQueuesOfTokens, endQueuesOfUsers } from './end-queues.ts';
export { createMemoize } from './memoize.ts';
export { defaultTimes, type PollOptions, type PollTimes } from './poll-options.ts';
export { createPolls, type PollServer } from './polls.ts';
export { emitRestart } from './restart.ts';
export { EventLogSnapshotCache } from './snapshot-cache.ts';
export { eventStreams } from './stream-handlers.ts';
export { sweepQueues } from './sweep.ts';
