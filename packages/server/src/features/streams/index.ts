export { requireAccessibleStream, requireReadableStream, requireStream, requireStreamNamed } from './access.ts';
export { defaultStreamState, listDefaultStreams, streamState } from './actions/list.ts';
export { getCachedStreams } from './cached-streams.ts';
export { STREAM_EVENTS } from './notices.ts';
export { getStreamAudience, presentStream } from './present.ts';
export { isUnchanged, lockStream } from './queries/change.ts';
export {
  findEmailVersion,
  rotateEmailAddresses,
  rotateEmailAddressesOfNewGuest,
  rotateEmailAddressesOfSubscriber,
} from './queries/email.ts';
export {
  findAndLockStream,
  findStreamById,
  findStreamsByIds,
  findStreamsByNames,
  listStreams,
  listWeeklyTraffic,
  type SeenStream,
  type Stream,
} from './queries/list.ts';
export { postingProblem, streamKey } from './rules/posting.ts';
export {
  canSetRetention,
  creationProblem,
  descriptionProblem,
  hasSharedHistory,
  normalizeDescription,
  retentionDays,
  streamNameProblem,
} from './rules/settings.ts';
