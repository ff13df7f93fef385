export { endQueuesOf } from './end.ts';
export { createPolls, defaultTimes, type PollServer, type PollTimes } from './polls.ts';
export { sweepQueues } from './sweep.ts';
