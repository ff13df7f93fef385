export { endQueuesOf } from './end.ts';
export { createPolls, defaultTimes, type PollServer, type PollTimes } from './polls.ts';
export { createRecall } from './recall.ts';
export { announceRestart } from './restart.ts';
export { SharedAnswers } from './shared.ts';
export { eventStreams } from './stream-handlers.ts';
export { sweepQueues } from './sweep.ts';
