// How far queues are that this process answered lately. Whatever is forgotten here is told twice at worst.
import { EPHEMERAL_LIFETIME } from './recent-ephemeral-events.ts';

/** Queues that are remembered at once; those answered longest ago make room. */
const MOST = 100_000;

/** A client has everything up to the id; ephemeral events up to the number were looked at for it by then. */
export interface Cursor {
  readonly id: number;
  readonly told: number;
}

/** What a client has since the response, if that arrived. */
export interface CursorAfterResponse extends Cursor {
  /** The log was read up to here: the events after the id, up to here, are not for the queue. */
  readonly cursor: number;
}

interface QueueCursor {
  /** What the client had when it asked. */
  readonly had: Cursor;
  /** What it has since the answer, if that arrived. */
  readonly got: CursorAfterResponse;
  readonly at: number;
}

export class QueueCursors {
  readonly #queues = new Map<string, QueueCursor>();

  /** Notes an answer: what the client had before it, and what it has now. */
  note(queue_id: string, had: Cursor, got: CursorAfterResponse, now: number): void {
    this.#queues.delete(queue_id);
    this.#queues.set(queue_id, { had, got, at: now });
    if (this.#queues.size <= MOST) return;
    const [oldest = ''] = this.#queues.keys();
    this.#queues.delete(oldest);
  }

  /** The newest id that the queue was given. */
  newest(queue_id: string): number | undefined {
    return this.#queues.get(queue_id)?.got.id;
  }

  /** How far the log was read for a client that has everything that the queue was given. */
  cursorOf(queue_id: string, last_event_id: number): number | undefined {
    const got = this.#queues.get(queue_id)?.got;
    return got && last_event_id >= got.id ? got.cursor : undefined;
  }

  /** Up to where ephemeral events were looked at for a client that says what it has: an answer may have been lost. */
  ephemeralSentTo(queue_id: string, last_event_id: number): number | undefined {
    const standing = this.#queues.get(queue_id);
    if (!standing) return undefined;
    return last_event_id >= standing.got.id ? standing.got.told : standing.had.told;
  }

  /** Forgets queues for which everything that is still news came after their answer. */
  sweep(now: number): void {
    for (const [queue_id, { at }] of this.#queues) {
      // They are in the order of their answers.
      if (at > now - EPHEMERAL_LIFETIME) return;
      this.#queues.delete(queue_id);
    }
  }
}
