export { EventLogSnapshotCache } from './event-log-snapshot-cache.ts';
export { KnownAccounts } from './known-accounts.ts';
export { createMemoize } from './memoize.ts';
export { NewestEvents } from './newest-events.ts';
export { insertHeartbeat } from './queries/append.ts';
export { type DeliverySource, loadDeliveryFacts } from './queries/audience.ts';
export { type LoggedEventPage, listEvents } from './queries/pages.ts';
export { findLastEventId, listLastEventIds } from './queries/positions.ts';
export { deleteUnneededEvents } from './queries/sweep.ts';
export { emitRestart } from './restart.ts';
export {
  type AudienceFacts,
  canOwnerReceive,
  getAudienceStream,
  isForPublicStreams,
  type LoggedEvent,
  listPossibleReceivers,
  listReceivers,
  type StoredEvent,
  toVisibleEvent,
  type VisibilityFacts,
} from './rules.ts';
export { expandEvents, loadVisibility } from './visibility.ts';
