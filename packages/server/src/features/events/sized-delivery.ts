import type { Delivered } from '../../core/polls.ts';
import { PreserializedEvent } from '../../core/preserialized-events.ts';

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
