import type { Delivered } from '../../core/polls.ts';
import { PreserializedEvent } from '../../core/preserialized-events.ts';

/** Bytes of JSON per id in a list, and the bytes that delivery adds to an event. */
const PER_ID = 20;
const PER_EVENT = 200;

/** An event as queues deliver it, and an upper bound of its size in a response. Queues that show it alike share it. */
export class SizedDelivery {
  /** With the id of the event on the server. */
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

  /** The event with its client id, which is the same for most clients: it is serialized once for these. */
  withId(id: number): PreserializedEvent {
    if (this.#numbered?.id !== id) this.#numbered = new PreserializedEvent({ ...this.event, id });
    return this.#numbered;
  }
}

/** The event with its size: the stored part, and the messages that may have been looked up for it. */
export function toSized(event: Delivered, stored: number): SizedDelivery {
  return new SizedDelivery(event, stored + PER_EVENT + PER_ID * countListed(event));
}

function countListed(event: Delivered): number {
  if (event.type === 'update_message_flags') return event.messages.length;
  return event.type === 'update_message' || event.type === 'delete_message' ? event.message_ids.length : 0;
}
