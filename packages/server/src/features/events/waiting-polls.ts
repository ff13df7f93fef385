import type { DelayedEvents } from './delayed-events.ts';
import type { StreamLease, StreamRenewal } from './event-streams-sql.ts';
import type { AllFoundEvents } from './limit-response.ts';
import type { PollClaim } from './poll-continuations.ts';
import { passEvents, type QueueReader } from './queue-reader.ts';
import type { EventReceiver } from './receiver.ts';
import type { SizedDelivery } from './sized-delivery.ts';

/** A waiting client. */
export interface Wait {
  readonly ticket: string;
  /** When a heartbeat is due: milliseconds of `performance.now()`. */
  due: number;
  readonly receiver: EventReceiver;
  readonly claim: PollClaim;
}

export interface Poll extends QueueReader, Wait {
  /** False while it is catching up: until then only its own reading may respond to it. */
  ready: boolean;
  /** The client of a stream has not read yet what was sent. */
  blocked: boolean;
  /** The database was not available when it was to get events: it goes on when that is. */
  interrupted: boolean;
  /** Events that wait for later ones, if there are any. */
  delayed: DelayedEvents | undefined;
}

/** The maximum number of events by which a poll that joins the ready ones is behind them. */
const NEAR = 200;

/**
 * Whether a poll is so near to those that have read the log up to `head` that it can get what they have with the next
 * reading. To read by itself until no event happened meanwhile, it would need a pause that a busy organization does not
 * have.
 */
export const isNear = ({ cursor }: Pick<Poll, 'cursor'>, head: number): boolean => cursor >= head - NEAR;

/** The polls and streams of an organization in this process: one of each queue, found by queue or by user. */
export class WaitingPolls {
  readonly #byQueue = new Map<string, Poll>();
  readonly #byUser = new Map<number, Set<Poll>>();

  get size(): number {
    return this.#byQueue.size;
  }

  get(queue_id: string): Poll | undefined {
    return this.#byQueue.get(queue_id);
  }

  [Symbol.iterator](): Iterator<Poll> {
    return this.#byQueue.values();
  }

  /** A copy, which does not change while polls end. */
  list(): Poll[] {
    return [...this.#byQueue.values()];
  }

  /** Adds the poll of a queue that has none. */
  add(poll: Poll): void {
    const { id, user_id } = poll.queue;
    this.#byQueue.set(id, poll);
    const others = this.#byUser.get(user_id);
    if (others) others.add(poll);
    else this.#byUser.set(user_id, new Set([poll]));
  }

  has(poll: Poll): boolean {
    return this.#byQueue.get(poll.queue.id) === poll;
  }

  /** Returns whether it was there. */
  delete(poll: Poll): boolean {
    if (!this.has(poll)) return false;
    const { id, user_id } = poll.queue;
    this.#byQueue.delete(id);
    const others = this.#byUser.get(user_id);
    others?.delete(poll);
    if (others?.size === 0) this.#byUser.delete(user_id);
    return true;
  }

  /** Those that are ready; if users are given, only theirs. */
  listReady(user_ids?: ReadonlySet<number>): Poll[] {
    if (!user_ids) return this.list().filter(({ ready }) => ready);
    return [...user_ids].flatMap((id) => [...(this.#byUser.get(id) ?? [])].filter(({ ready }) => ready));
  }

  /** Returns the polls that the database interrupted, and resets that. */
  takeInterrupted(): Poll[] {
    const interrupted = this.list().filter((poll) => poll.interrupted);
    for (const poll of interrupted) poll.interrupted = false;
    return interrupted;
  }

  /** Advances the read positions of the ready polls. Those of a poll that delays events stay before these. */
  pass(scanned: number, ephemeralCursor: number): void {
    for (const poll of this.#byQueue.values()) {
      if (!poll.ready) continue;
      if (poll.delayed) poll.delayed.scanned = Math.max(poll.delayed.scanned, scanned);
      else passEvents(poll, scanned, ephemeralCursor);
    }
  }

  /** Notes what the clients of renewed leases acknowledged. Returns the leases that were not renewed. */
  renew(leases: readonly StreamLease[], renewals: ReadonlyMap<string, StreamRenewal>): StreamLease[] {
    for (const { id, ticket } of leases) {
      const renewal = renewals.get(id);
      const poll = this.get(id);
      // While it catches up, the log may have been read further than events were sent.
      if (renewal && poll?.ticket === ticket && poll.ready && renewal.acknowledged >= poll.outstanding)
        Object.assign(poll, { outstanding: 0, passed: poll.cursor });
    }
    return leases.filter(({ id }) => !renewals.has(id));
  }

  /** The leases of the streams: each claims that the queue is still its own. */
  leases(): StreamLease[] {
    return this.list()
      .filter(({ receiver }) => receiver.isStream)
      .map(({ ticket, queue: { realm_id, id, key_version = 0, token } }) => ({
        realm_id,
        id,
        ticket,
        key_version,
        token_id: token?.id ?? null,
      }));
  }
}

/** What a poll has not seen of the events that were found, nor delays. */
export function findUnseen(
  { cursor, ephemeralCursor, delayed }: Pick<Poll, 'cursor' | 'ephemeralCursor' | 'delayed'>,
  found: AllFoundEvents,
): AllFoundEvents {
  const seen = delayed?.scanned ?? cursor;
  return {
    // The same events can be found again after a failure.
    events: after(found.events, seen),
    scanned: Math.max(seen, found.scanned),
    ephemeral: after(found.ephemeral, ephemeralCursor),
    ephemeralCursor: Math.max(ephemeralCursor, found.ephemeralCursor),
  };
}

/** Those of these events, which are ascending, that come after one. Mostly all of them, and then nothing is copied. */
const after = (events: readonly SizedDelivery[], seen: number): readonly SizedDelivery[] =>
  events[0] && events[0].id <= seen ? events.filter(({ id }) => id > seen) : events;
