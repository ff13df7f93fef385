// What one response to a poll has room for.
import { countWithin, getResponseBudget } from '../../core/response-size.ts';
import type { FoundEvents } from './client-event-ids.ts';
import type { SizedDelivery } from './sized-delivery.ts';

/** Bytes of the events in one response. */
export const RESPONSE_BUDGET = getResponseBudget('getEvents');

/** All that a look found for a queue. */
export interface AllFoundEvents {
  readonly events: readonly SizedDelivery[];
  /** How far the log was read. */
  readonly scanned: number;
  readonly ephemeral: readonly SizedDelivery[];
  /** Ephemeral events were looked at up to this number. */
  readonly told: number;
}

/**
 * The first of it, as much as one response has room for, and at least one event. `told` is how far ephemeral events were looked
 * at before: those that are left out come with the next poll.
 */
export function limitToResponse(all: AllFoundEvents, told: number): FoundEvents & { readonly told: number } {
  const count = countWithin(bytesOf(all.events), RESPONSE_BUDGET);
  const events = all.events.slice(0, count);
  if (count < all.events.length) return { events, scanned: events.at(-1)?.id ?? all.scanned, ephemeral: [], told };
  const room = RESPONSE_BUDGET - bytesOf(all.events).reduce((sum, bytes) => sum + bytes, 0);
  const few = countWithin(bytesOf(all.ephemeral), room, events.length > 0 ? 0 : 1);
  const ephemeral = all.ephemeral.slice(0, few);
  return {
    events,
    scanned: all.scanned,
    ephemeral,
    told: few < all.ephemeral.length ? (ephemeral.at(-1)?.id ?? told) : all.told,
  };
}

const bytesOf = (some: readonly SizedDelivery[]): number[] => some.map(({ bytes }) => bytes);
