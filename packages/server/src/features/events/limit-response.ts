// Limits what one response to a poll contains.
import { countWithin, getResponseBudget } from '../../core/response-size.ts';
import type { FoundEvents } from './client-event-ids.ts';
import type { SizedDelivery } from './sized-delivery.ts';

/** The maximum size of the events in one response, in bytes. */
export const RESPONSE_BUDGET = getResponseBudget('getEvents');

/** Everything that a read found for a queue. */
export interface AllFoundEvents {
  readonly events: readonly SizedDelivery[];
  /** How far the log was read. */
  readonly scanned: number;
  readonly ephemeral: readonly SizedDelivery[];
  /** Ephemeral events were read up to this number. */
  readonly ephemeralCursor: number;
}

/**
 * The first part of it: as much as one response has room for, and at least one event. `ephemeralCursor` is how far ephemeral
 * events were read before; omitted events come with the next poll.
 */
export function limitToResponse(
  all: AllFoundEvents,
  ephemeralCursor: number,
): FoundEvents & { readonly ephemeralCursor: number } {
  const count = countWithin(bytesOf(all.events), RESPONSE_BUDGET);
  const events = all.events.slice(0, count);
  if (count < all.events.length)
    return { events, scanned: events.at(-1)?.id ?? all.scanned, ephemeral: [], ephemeralCursor };
  const room = RESPONSE_BUDGET - bytesOf(all.events).reduce((sum, bytes) => sum + bytes, 0);
  const few = countWithin(bytesOf(all.ephemeral), room, events.length > 0 ? 0 : 1);
  const ephemeral = all.ephemeral.slice(0, few);
  return {
    events,
    scanned: all.scanned,
    ephemeral,
    ephemeralCursor: few < all.ephemeral.length ? (ephemeral.at(-1)?.id ?? ephemeralCursor) : all.ephemeralCursor,
  };
}

const bytesOf = (some: readonly SizedDelivery[]): number[] => some.map(({ bytes }) => bytes);
