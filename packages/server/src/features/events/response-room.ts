// What one response to a poll has room for.
import type { Delivered } from '../../core/context.ts';
import { PreserializedEvent } from '../../core/preserialized-events.ts';
import { countWithin, roomOf } from '../../core/response-size.ts';
import type { Found } from './numbering.ts';

/** Bytes of the events in one response. */
export const RESPONSE_ROOM = roomOf('getEvents');
/** Bytes of JSON that an id takes up in a list, and what delivering adds to an event. */
const PER_ID = 20;
const PER_EVENT = 200;

/** An event as queues deliver it, and the bytes that it takes up in a response at most. Queues that show it alike share it. */
export class SizedDelivery {
  /** With the id that the event has on the server. */
  readonly event: Delivered;
  readonly bytes: number;
  #numbered: PreserializedEvent | undefined;

  constructor(event: Delivered, bytes: number) {
    this.event = event;
    this.bytes = bytes;
  }

  get id(): number {
    return this.event.id;
  }

  /** The event with the id that clients know it by, which is the same for most of them: it is serialized once for these. */
  withId(id: number): PreserializedEvent {
    if (this.#numbered?.id !== id) this.#numbered = new PreserializedEvent({ ...this.event, id });
    return this.#numbered;
  }
}

/** The event with its bytes: what was stored of it, and the messages that may have been looked up for it. */
export function toSized(event: Delivered, stored: number): SizedDelivery {
  return new SizedDelivery(event, stored + PER_EVENT + PER_ID * countListed(event));
}

function countListed(event: Delivered): number {
  if (event.type === 'update_message_flags') return event.messages.length;
  return event.type === 'update_message' || event.type === 'delete_message' ? event.message_ids.length : 0;
}

/** All that a look found for a queue. */
export interface Findings {
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
export function limitToResponse(all: Findings, told: number): Found & { readonly told: number } {
  const count = countWithin(bytesOf(all.events), RESPONSE_ROOM);
  const events = all.events.slice(0, count);
  if (count < all.events.length) return { events, scanned: events.at(-1)?.id ?? all.scanned, ephemeral: [], told };
  const room = RESPONSE_ROOM - bytesOf(all.events).reduce((sum, bytes) => sum + bytes, 0);
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
