export {
  failUnknownStream,
  requireAccessibleStream,
  requireReadableStream,
  requireStream,
  requireStreamNamed,
} from './access.ts';
export { archiveStreams } from './actions/archive.ts';
export { defaultStreamState, listDefaultStreams, streamState } from './actions/list.ts';
export { getCachedStreams } from './cached-streams.ts';
export { renderChangeNotice, STREAM_EVENTS } from './notices.ts';
export { getStreamAudience, presentChanges, presentStream } from './present.ts';
export {
  jsonPostableStream,
  listGuestIds,
  lockStream,
  type PostableStream,
  updateStreamRow,
} from './queries/change.ts';
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
export { applySettings, changeProblem, isMetadata, listChangedProperties, type StreamChange } from './rules/change.ts';
export { descriptionProblem, normalizeDescription, streamNameProblem } from './rules/names.ts';
export { postingProblem, streamKey } from './rules/posting.ts';
export {
  canSetRetention,
  creationProblem,
  hasSharedHistory,
  retentionDays,
} from './rules/settings.ts';
