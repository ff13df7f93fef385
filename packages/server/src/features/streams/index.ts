export { requireReadableStream, requireStream } from './access.ts';
export { defaultStreamState, listDefaultStreams, streamState } from './actions.ts';
export { audienceOfStream, presentStream } from './present.ts';
export {
  findStreamById,
  findStreamsByNames,
  listStreams,
  listWeeklyTraffic,
  type SeenStream,
  type Stream,
} from './queries.ts';
export { mayReadStream, maySeeStream, postingProblem, streamKey } from './rules.ts';
