export { endQueuesOf } from './end.ts';
export { defaultTimes, type PollOptions, type PollTimes } from './poll-options.ts';
export { createPolls, type PollServer } from './polls.ts';
export { createRecall } from './recall.ts';
export { announceRestart } from './restart.ts';
export { SharedAnswers } from './shared.ts';
export { eventStreams } from './stream-handlers.ts';
export { sweepQueues } from './sweep.ts';
