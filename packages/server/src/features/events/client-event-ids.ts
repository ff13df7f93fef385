// Event ids as clients see them. Ids of the log ascend in the order of commits; ephemeral events, which are not in the
// log, are numbered in between.
import type { PreserializedEvent } from '../../core/preserialized-events.ts';
import type { SizedDelivery } from './sized-delivery.ts';

/** Client ids per id of the log: one for that event, the others for ephemeral events published after it. */
const SPAN = 65_536;

/** A position among the events of a queue. */
export interface EventPosition {
  /** The id of the last event of the log at or before the position. */
  readonly log_id: number;
  /** The number of ephemeral events published since then; 0 is the event of the log itself. */
  readonly nth: number;
}

/** The client id of a position. */
export const toClientId = ({ log_id, nth }: EventPosition): number => log_id * SPAN + nth;

/** The position of a client id. */
export function parseClientId(client_id: number): EventPosition {
  const log_id = Math.floor(client_id / SPAN);
  return { log_id, nth: client_id - log_id * SPAN };
}

/** What was found for a queue, all of it with its ids on the server. */
export interface FoundEvents {
  readonly events: readonly SizedDelivery[];
  /** How far the log was read. */
  readonly scanned: number;
  readonly ephemeral: readonly SizedDelivery[];
}

/** The events for a client that has everything up to the id `after`, with ids that ascend from there. */
export function assignClientIds(after: number, { events, scanned, ephemeral }: FoundEvents): PreserializedEvent[] {
  const start = parseClientId(after);
  const sent = scanned === start.log_id ? start.nth : 0;
  // Events beyond the last free id are dropped: they would be stale by the time the log goes on.
  const room = SPAN - 1 - sent;
  return [
    ...events.map((event) => event.withId(toClientId({ log_id: event.id, nth: 0 }))),
    ...ephemeral.slice(0, room).map((event, n) => event.withId(toClientId({ log_id: scanned, nth: sent + n + 1 }))),
  ];
}
