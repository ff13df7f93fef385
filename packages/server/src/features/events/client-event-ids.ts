// Ids of events as clients know them. The log's own ids ascend in the order of commits; ephemeral events, which are not in the log, come in between.
import type { PreserializedEvent } from '../../core/preserialized-events.ts';
import type { SizedDelivery } from './sized-delivery.ts';

/** Ids of clients for one id of the log: that event, and ephemeral ones that were told after it. */
const SPAN = 65_536;

/** A place among the events of a queue. */
export interface EventPosition {
  /** Everything up to here in the log is behind it. */
  readonly log_id: number;
  /** The ephemeral events told since then; 0 is the event of the log itself. */
  readonly nth: number;
}

/** The id by which clients know a place. */
export const toClientId = ({ log_id, nth }: EventPosition): number => log_id * SPAN + nth;

/** The place that a client means by an id. */
export function parseClientId(client_id: number): EventPosition {
  const log_id = Math.floor(client_id / SPAN);
  return { log_id, nth: client_id - log_id * SPAN };
}

/** What was found for a queue, all of it with the ids that it has on the server. */
export interface FoundEvents {
  readonly events: readonly SizedDelivery[];
  /** How far the log was read. */
  readonly scanned: number;
  readonly ephemeral: readonly SizedDelivery[];
}

/** An answer to a client that has everything up to the id `after`, with ids that ascend from there. */
export function assignClientIds(after: number, { events, scanned, ephemeral }: FoundEvents): PreserializedEvent[] {
  const start = parseClientId(after);
  const told = scanned === start.log_id ? start.nth : 0;
  // What finds no id any more is dropped: it would be old news by the time that the log goes on.
  const room = SPAN - 1 - told;
  return [
    ...events.map((event) => event.withId(toClientId({ log_id: event.id, nth: 0 }))),
    ...ephemeral.slice(0, room).map((event, n) => event.withId(toClientId({ log_id: scanned, nth: told + n + 1 }))),
  ];
}
