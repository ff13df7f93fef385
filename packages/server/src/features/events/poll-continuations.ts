// Queues whose last poll got its response here. The client's next poll goes on from there without a statement
// (docs/adr/0048).
import { LRUCache } from 'lru-cache';
import type { CheckedCredentials, PollPosition, Queue } from '../../core/polls.ts';
import type { PreserializedEvent } from '../../core/preserialized-events.ts';

/** Milliseconds after which the credentials are checked, and the queue claimed, again. */
const LONGEST = 30_000;
/** The maximum number of queues that a process remembers. */
const MOST = 20_000;
/** The maximum length of their filters together, in UTF-16 units: clients choose it. */
const FILTERS = 8 * 1024 * 1024;
/** Types of events that can end credentials: the next poll is checked. */
const ABOUT_CREDENTIALS: ReadonlySet<string> = new Set(['realm', 'realm_user']);

/** The claim of a queue by a poll whose credentials were checked. */
export interface PollClaim {
  readonly queue: Queue;
  readonly ticket: string;
  readonly position: PollPosition;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

interface Continuation {
  readonly claim: PollClaim;
  /** The newest event that was sent to the client, as a client id. */
  readonly sent: number;
}

export class PollContinuations {
  readonly #queues = new LRUCache<string, Continuation>({
    max: MOST,
    maxSize: FILTERS,
    sizeCalculation: ({ claim: { queue } }) => JSON.stringify([queue.narrow, queue.event_types]).length,
  });

  /** Remembers a queue whose poll gets these events. */
  add(claim: PollClaim, events: readonly PreserializedEvent[]): void {
    const newest = events.at(-1);
    if (!newest || events.some(({ value }) => ABOUT_CREDENTIALS.has(value.type))) return;
    this.#queues.set(claim.queue.id, { claim, sent: newest.id });
  }

  /**
   * Returns the claim for a poll that acknowledges exactly what was sent, with the credentials that claimed the queue. The row
   * of the queue outlives the poll: the claim prolonged it by the time that a poll can wait.
   */
  take(queue_id: string, last_event_id: number, credentials: CheckedCredentials): PollClaim | undefined {
    const known = this.#queues.peek(queue_id);
    if (!known || known.sent !== last_event_id || !isClaimedBy(known.claim.queue, credentials)) return undefined;
    this.#queues.delete(queue_id);
    return isCurrent(known.claim) ? known.claim : undefined;
  }

  /** Forgets the queue, if its last poll had this ticket. Returns whether it did. */
  end(queue_id: string, ticket: string): boolean {
    return this.#queues.peek(queue_id)?.claim.ticket === ticket && this.#queues.delete(queue_id);
  }

  /** Forgets queues that must be claimed again. */
  sweep(): void {
    for (const [queue_id, { claim }] of this.#queues.entries()) if (!isCurrent(claim)) this.#queues.delete(queue_id);
  }

  clear(): void {
    this.#queues.clear();
  }
}

const isCurrent = ({ at, position }: PollClaim): boolean =>
  performance.now() - at <= Math.min(LONGEST, position.lifespan_secs * 1000);

const isClaimedBy = ({ realm_id, user_id, key_version, token }: Queue, credentials: CheckedCredentials): boolean =>
  realm_id === credentials.realm_id &&
  user_id === credentials.user_id &&
  key_version === credentials.key_version &&
  (token?.id ?? null) === credentials.token_id;
