import { findUnavailability } from '@parley/db';
import type { PreserializedEvent } from '../../core/preserialized-events.ts';
import { insertHeartbeat, type LoggedEventPage } from '../event-log/index.ts';
import { assignClientIds, parseClientId } from './client-event-ids.ts';
import { computeDeliveries, readPageForQueues } from './deliveries.ts';
import type { StreamLease, StreamRenewal } from './event-streams-sql.ts';
import { findHeartbeat, sendDueHeartbeats, toHeartbeatDelivery } from './heartbeats.ts';
import { type AllFoundEvents, limitToResponse } from './limit-response.ts';
import type { PollClaim } from './poll-continuations.ts';
import { advanceReader, noteDelivered, type PollSources, type QueueReader, readEvents } from './queue-reader.ts';
import type { EventReceiver } from './receiver.ts';

/** A waiting client. */
interface Wait {
  readonly ticket: string;
  /** When a heartbeat is due: milliseconds of `performance.now()`. */
  due: number;
  readonly receiver: EventReceiver;
  readonly claim: PollClaim;
}

interface Poll extends QueueReader, Wait {
  /** False while it is catching up: until then only its own reading may respond to it. */
  ready: boolean;
  /** The client of a stream has not read yet what was sent. */
  blocked: boolean;
  /** The database was not available while it was catching up: it goes on when that is. */
  interrupted: boolean;
}

/** The polls and streams of one organization in this process: its log is read once for all of them. */
export class RealmPolls {
  readonly #realm_id: number;
  readonly #sources: PollSources;
  /** Milliseconds of quiet until the next heartbeat of a stream. */
  readonly #quiet: () => number;
  readonly #polls = new Map<string, Poll>();
  /** The log was read up to here for every ready poll. */
  #head: number | undefined;
  /** Ephemeral events were read up to this number for every ready poll. */
  #ephemeralCursor: number;
  /** Incremented with every read, so that a poll which was catching up meanwhile knows to read again. */
  #looks = 0;
  #looking = false;
  #lookAgain = false;
  /** There may be new events that were not read because no poll waited. */
  #missedEvents = false;
  /** No poll waited at the last beat. */
  #wasEmpty = false;

  constructor(realm_id: number, sources: PollSources, quiet: () => number) {
    this.#realm_id = realm_id;
    this.#sources = sources;
    this.#quiet = quiet;
    this.#ephemeralCursor = sources.recent.newest;
  }

  get size(): number {
    return this.#polls.size;
  }

  /** The read positions of a queue, if its client waits here. */
  reader(queue_id: string): QueueReader | undefined {
    return this.#polls.get(queue_id);
  }

  wait(reading: QueueReader, wait: Wait): void {
    const { id } = reading.queue;
    const poll: Poll = { ...reading, ...wait, ready: false, blocked: false, interrupted: false };
    const before = this.#polls.get(id);
    this.#polls.set(id, poll);
    if (before) this.#sources.progress.note(before);
    before?.receiver.end();
    if (this.#isUpToDate(poll)) poll.ready = true;
    else this.#startCatchUp(poll);
  }

  /** Whether the poll is where the ready polls are, so that it need not read the log by itself. */
  #isUpToDate({ cursor, ephemeralCursor }: QueueReader): boolean {
    return !this.#missedEvents && cursor === this.#head && ephemeralCursor >= this.#ephemeralCursor;
  }

  #startCatchUp(poll: Poll): void {
    poll.interrupted = false;
    this.#catchUp(poll).catch((error) => {
      if (findUnavailability(error)) poll.interrupted = true;
      else if (this.#remove(poll)) poll.receiver.fail(error);
    });
  }

  /** The leases of the streams here: each claims that the queue is still its own. */
  leases(): StreamLease[] {
    return [...this.#polls.values()]
      .filter(({ receiver }) => receiver.isStream)
      .map(({ ticket, queue: { realm_id, id, key_version = 0, token } }) => ({
        realm_id,
        id,
        ticket,
        key_version,
        token_id: token?.id ?? null,
      }));
  }

  /** Ends the streams of those leases that were not renewed, and stores what the clients of the others acknowledged. */
  applyRenewals(leases: readonly StreamLease[], renewals: ReadonlyMap<string, StreamRenewal>): void {
    for (const { id, ticket } of leases) {
      const renewal = renewals.get(id);
      const poll = this.#polls.get(id);
      if (!renewal) this.end(id, ticket);
      // While it catches up, the log may have been read further than events were sent.
      else if (poll?.ticket === ticket && poll.ready && renewal.acknowledged >= poll.outstanding) {
        Object.assign(poll, { outstanding: 0, passed: poll.cursor });
      }
    }
  }

  /** Forgets a stream whose client has closed the connection. */
  forget(queue_id: string, ticket: string): void {
    const poll = this.#polls.get(queue_id);
    if (poll?.ticket === ticket) this.#remove(poll);
  }

  /** Ends the poll of a queue, if it waits here; if a ticket is given, only the poll that has it. */
  end(queue_id: string, ticket?: string): boolean {
    const poll = this.#polls.get(queue_id);
    if (!poll || (ticket !== undefined && poll.ticket !== ticket)) return false;
    this.#remove(poll);
    poll.receiver.end();
    return true;
  }

  endAll(): void {
    for (const id of [...this.#polls.keys()]) this.end(id);
  }

  /** Returns whether the poll was still waiting. */
  #remove(poll: Poll): boolean {
    const { id } = poll.queue;
    if (this.#polls.get(id) !== poll) return false;
    this.#polls.delete(id);
    this.#sources.progress.note(poll);
    return true;
  }

  /** Reads new events, and once more if it was called meanwhile. */
  look(): void {
    this.#lookAgain = true;
    if (this.#looking) return;
    this.#looking = true;
    this.#lookUntilDone().catch((error) =>
      this.#sources.log.error({ err: error, realm: this.#realm_id }, 'the event log cannot be read; trying again'),
    );
  }

  /** Goes on with the polls whose catching up the database interrupted, now that it is available. */
  resumeInterrupted(): void {
    for (const poll of [...this.#polls.values()].filter(({ interrupted }) => interrupted)) this.#startCatchUp(poll);
  }

  lookIfBehind(last_event_id: number): void {
    if (last_event_id > (this.#head ?? Number.POSITIVE_INFINITY)) this.look();
  }

  /** Sends a heartbeat to the polls and streams that are due. Returns whether any wait, or did at the last beat. */
  async beat(now: number): Promise<boolean> {
    const isUsed = this.#polls.size > 0 || !this.#wasEmpty;
    this.#wasEmpty = this.#polls.size === 0;
    this.#noteProgress();
    if (!sendDueHeartbeats(this.#polls.values(), now, this.#quiet)) return isUsed;
    await insertHeartbeat(this.#sources.db, this.#realm_id, this.#sources.clock());
    this.look();
    return isUsed;
  }

  /** Stores the progress of polls that go on waiting. */
  #noteProgress(): void {
    for (const poll of this.#polls.values()) {
      if (poll.passed - poll.stored < this.#sources.unsaved) continue;
      this.#sources.progress.note(poll);
      poll.stored = poll.passed;
    }
  }

  /** Reads for one poll until no other read happened meanwhile. */
  async #catchUp(poll: Poll): Promise<void> {
    const isOver = () => this.#polls.get(poll.queue.id) !== poll;
    for (let isFree = poll.isContinuation; ; ) {
      const looks = this.#looks;
      const events = await readEvents(this.#sources, poll, { isOver });
      if (isOver() || (events.length > 0 && !this.#deliver(poll, events, isFree))) return;
      if (events.length > 0) continue;
      if (looks === this.#looks && poll.cursor >= (this.#head ?? 0) && poll.ephemeralCursor >= this.#ephemeralCursor)
        break;
      isFree = true;
    }
    poll.ready = true;
    this.#head ??= poll.cursor;
    if (this.#missedEvents) this.look();
  }

  /** Returns whether the receiver accepts more at once. `isFree`: the request does not count against the rate limit. */
  #deliver(poll: Poll, events: PreserializedEvent[], isFree: boolean): boolean {
    // A poll that ended during the read gets nothing.
    if (this.#polls.get(poll.queue.id) !== poll) return false;
    noteDelivered(this.#sources, poll, events);
    if (!poll.receiver.isStream) {
      this.#remove(poll);
      this.#sources.continuations.add(poll.claim, events);
      return poll.receiver.deliver(events, isFree, () => {});
    }
    const logged = events.findLast(({ id }) => parseClientId(id).nth === 0);
    if (logged) poll.outstanding = parseClientId(logged.id).log_id;
    poll.sent = events.at(-1)?.id ?? poll.sent;
    poll.due = performance.now() + this.#quiet();
    const isReady = poll.receiver.deliver(events, isFree, () => this.#resume(poll));
    // The log is not read for a client that does not read its connection.
    if (!isReady) Object.assign(poll, { ready: false, blocked: true });
    return isReady;
  }

  #resume(poll: Poll): void {
    if (!poll.blocked || this.#polls.get(poll.queue.id) !== poll) return;
    poll.blocked = false;
    this.#startCatchUp(poll);
  }

  async #lookUntilDone(): Promise<void> {
    try {
      while (this.#lookAgain) {
        this.#lookAgain = false;
        this.#looks++;
        if (this.#polls.size === 0) this.#missedEvents = true;
        if (this.#head === undefined || this.#polls.size === 0) continue;
        const start = { realm_id: this.#realm_id, after: this.#head };
        const hasMore = await readPageForQueues(this.#sources.db, start, (page) => this.#distribute(page));
        if (hasMore) this.#lookAgain = true;
        else this.#missedEvents = false;
      }
    } finally {
      // Nothing is awaited between the last look and here, so no wake-up falls in between.
      this.#looking = false;
    }
  }

  /** Returns whether there may be more. */
  async #distribute({ events: page, scanned, more }: LoggedEventPage): Promise<boolean> {
    const { db, recent, clock } = this.#sources;
    const before = { head: this.#head, ephemeralCursor: this.#ephemeralCursor };
    const ready = [...this.#polls.values()].filter((poll) => poll.ready);
    const fresh = recent.after(this.#realm_id, this.#ephemeralCursor, clock().getTime());
    // A poll that becomes ready from here on has read all of this itself.
    this.#head = scanned;
    this.#ephemeralCursor = recent.newest;
    const reach = { scanned, ephemeralCursor: this.#ephemeralCursor };
    try {
      const queues = ready.map((poll) => poll.queue);
      const events = await computeDeliveries(db, page, queues, clock());
      const ephemeral = await computeDeliveries(db, fresh, queues, clock());
      const heartbeat = findHeartbeat(page);
      const of = (id: string, { byQueue }: typeof events) => byQueue.get(id) ?? [];
      for (const poll of ready) {
        const { id } = poll.queue;
        if (events.revoked.has(id) || ephemeral.revoked.has(id)) this.end(id, poll.ticket);
        else this.#hand(poll, { ...reach, events: of(id, events), ephemeral: of(id, ephemeral) }, heartbeat);
      }
      return more;
    } catch (error) {
      this.#head = before.head;
      this.#ephemeralCursor = before.ephemeralCursor;
      throw error;
    }
  }

  /** Delivers to a poll what it has not seen yet of what was found, or a heartbeat if there is none and one is due. */
  #hand(poll: Poll, found: AllFoundEvents, heartbeat = 0): void {
    const isDue = heartbeat > poll.cursor && poll.due <= performance.now();
    const unseen = {
      events: found.events.filter(({ id }) => id > poll.cursor),
      scanned: Math.max(poll.cursor, found.scanned),
      ephemeral: found.ephemeral.filter(({ id }) => id > poll.ephemeralCursor),
      ephemeralCursor: Math.max(poll.ephemeralCursor, found.ephemeralCursor),
    };
    const batch = limitToResponse(unseen, poll.ephemeralCursor);
    advanceReader(poll, batch);
    if (batch.events.length + batch.ephemeral.length > 0) {
      const isReady = this.#deliver(poll, assignClientIds(poll.sent, batch), true);
      // A stream continues with what did not fit.
      if (!isReady || (poll.cursor >= unseen.scanned && poll.ephemeralCursor >= unseen.ephemeralCursor)) return;
      poll.ready = false;
      this.#startCatchUp(poll);
    } else if (isDue && !poll.receiver.isStream) {
      const events = [toHeartbeatDelivery(heartbeat)];
      this.#deliver(poll, assignClientIds(poll.sent, { ...batch, events }), false);
    }
  }
}
