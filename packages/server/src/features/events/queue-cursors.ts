// Cursors of the queues that this process served lately. Forgetting one can only deliver an event twice.
import { EPHEMERAL_LIFETIME } from './recent-ephemeral-events.ts';

/** The maximum number of remembered queues; the ones served longest ago are evicted. */
const MOST = 100_000;

/** A client has everything up to the id; ephemeral events were read for it up to the number `ephemeralCursor`. */
export interface Cursor {
  readonly id: number;
  readonly ephemeralCursor: number;
}

/** What a client has since the response, if that arrived. */
export interface CursorAfterResponse extends Cursor {
  /** The log was read up to here: the events between the id and this are not for the queue. */
  readonly cursor: number;
}

interface QueueCursor {
  /** What the client had when it polled. */
  readonly had: Cursor;
  /** What it has since the response, if that arrived. */
  readonly got: CursorAfterResponse;
  readonly at: number;
}

export class QueueCursors {
  readonly #queues = new Map<string, QueueCursor>();

  /** Stores a response: what the client had before it, and has after it. */
  note(queue_id: string, had: Cursor, got: CursorAfterResponse, now: number): void {
    this.#queues.delete(queue_id);
    this.#queues.set(queue_id, { had, got, at: now });
    if (this.#queues.size <= MOST) return;
    const [oldest = ''] = this.#queues.keys();
    this.#queues.delete(oldest);
  }

  /** The newest id that was sent for the queue. */
  newest(queue_id: string): number | undefined {
    return this.#queues.get(queue_id)?.got.id;
  }

  /** The newest id that the client had when it polled last; 0 if that is not known. */
  acknowledged(queue_id: string): number {
    return this.#queues.get(queue_id)?.had.id ?? 0;
  }

  /** How far the log was read, for a client that has everything that was sent. */
  cursorOf(queue_id: string, last_event_id: number): number | undefined {
    const got = this.#queues.get(queue_id)?.got;
    return got && last_event_id >= got.id ? got.cursor : undefined;
  }

  /** How far ephemeral events were read for a client with this `last_event_id`: a response may have been lost. */
  ephemeralSentTo(queue_id: string, last_event_id: number): number | undefined {
    const known = this.#queues.get(queue_id);
    if (!known) return undefined;
    return last_event_id >= known.got.id ? known.got.ephemeralCursor : known.had.ephemeralCursor;
  }

  /** Forgets queues whose last response is older than every ephemeral event that can still be delivered. */
  sweep(now: number): void {
    for (const [queue_id, { at }] of this.#queues) {
      // They are in the order of their responses.
      if (at > now - EPHEMERAL_LIFETIME) return;
      this.#queues.delete(queue_id);
    }
  }
}
