import { findUnavailability } from '@parley/db';
import { CoalescedTask } from '../../core/coalesced-task.ts';
import type { PreserializedEvent } from '../../core/preserialized-events.ts';
import { insertHeartbeat, type LoggedEventPage, listReceivers } from '../event-log/index.ts';
import { assignClientIds, parseClientId } from './client-event-ids.ts';
import { createDelayTimer, delayEvents, withDelayed } from './delayed-events.ts';
import { computeSharedDeliveries, NOTHING, readPageForQueues, type SharedEvents } from './deliveries.ts';
import type { StreamLease, StreamRenewal } from './event-streams-sql.ts';
import { findHeartbeat, sendDueHeartbeats, toHeartbeatDelivery } from './heartbeats.ts';
import { type AllFoundEvents, limitToResponse } from './limit-response.ts';
import { advanceReader, noteDelivered, type PollSources, type QueueReader, readEvents } from './queue-reader.ts';
import { findUnseen, isNear, type Poll, type Wait, WaitingPolls } from './waiting-polls.ts';

/** The polls and streams of one organization in this process: its log is read once for all of them. */
export class RealmPolls {
  readonly #realm_id: number;
  readonly #sources: PollSources;
  /** Milliseconds of quiet until the next heartbeat of a stream. */
  readonly #quiet: () => number;
  readonly #polls = new WaitingPolls();
  /** Polls that get what the ready ones have with the next reading of the log. */
  readonly #joining = new Set<Poll>();
  /** The log was read up to here for every ready poll. */
  #head: number | undefined;
  /** Ephemeral events were read up to this number for every ready poll. */
  #ephemeralCursor: number;
  readonly #looking: CoalescedTask;
  /** There may be new events that were not read because no poll waited. */
  #missedEvents = false;
  /** No poll waited at the last beat. */
  #wasEmpty = false;
  readonly #sendDelayedLater: () => void;

  constructor(realm_id: number, sources: PollSources, quiet: () => number) {
    this.#realm_id = realm_id;
    this.#sources = sources;
    this.#quiet = quiet;
    this.#ephemeralCursor = sources.recent.newest;
    this.#looking = new CoalescedTask(() => this.#look(), sources.pace);
    this.#sendDelayedLater = createDelayTimer(() => this.#sendDelayed(), sources.log);
  }

  get size(): number {
    return this.#polls.size;
  }

  /** The read positions of a queue, if its client waits here. */
  reader(queue_id: string): QueueReader | undefined {
    return this.#polls.get(queue_id);
  }

  wait(reading: QueueReader, wait: Wait): void {
    const poll: Poll = { ...reading, ...wait, ready: false, blocked: false, interrupted: false, delayed: undefined };
    const before = this.#polls.get(poll.queue.id);
    if (before) this.#remove(before);
    this.#polls.add(poll);
    before?.receiver.end();
    this.#start(poll);
  }

  #start(poll: Poll): void {
    // The first events of a poll that does not continue count against the rate limit, so it reads them by itself. So does one that comes
    // back to events that were not read for any: its response has room for more of them than a shared page.
    const canJoin = (poll.receiver.isStream || poll.isContinuation) && !this.#missedEvents;
    if (this.#isUpToDate(poll)) poll.ready = true;
    else if (canJoin && this.#head !== undefined && isNear(poll, this.#head)) this.#join(poll);
    else this.#startCatchUp(poll);
  }

  #join(poll: Poll): void {
    this.#joining.add(poll);
    this.look();
  }

  /** Whether the poll has what the ready polls have, so that it need not read the log by itself. */
  #isUpToDate({ cursor, ephemeralCursor }: QueueReader): boolean {
    const hasAll = cursor >= (this.#head ?? Number.POSITIVE_INFINITY) && ephemeralCursor >= this.#ephemeralCursor;
    return hasAll && !this.#missedEvents;
  }

  #startCatchUp(poll: Poll): void {
    this.#catchUp(poll).catch((error) => {
      if (findUnavailability(error)) poll.interrupted = true;
      else if (this.#remove(poll)) poll.receiver.fail(error);
    });
  }

  leases(): StreamLease[] {
    return this.#polls.leases();
  }

  /** Ends the streams of those leases that were not renewed, and stores what the clients of the others acknowledged. */
  applyRenewals(leases: readonly StreamLease[], renewals: ReadonlyMap<string, StreamRenewal>): void {
    for (const { id, ticket } of this.#polls.renew(leases, renewals)) this.end(id, ticket);
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
    for (const { queue } of this.#polls.list()) this.end(queue.id);
  }

  /** Returns whether the poll was still waiting. */
  #remove(poll: Poll): boolean {
    this.#joining.delete(poll);
    if (!this.#polls.delete(poll)) return false;
    this.#sources.progress.note(poll);
    return true;
  }

  /** Has new events read: at once, or at the next turn if they were read a moment ago. */
  look(): void {
    this.#looking
      .request()
      .catch((error) =>
        this.#sources.log.error({ err: error, realm: this.#realm_id }, 'the event log cannot be read; trying again'),
      );
  }

  /** Goes on where the database interrupted a reading, now that it is available, and reads what the log has more. */
  resume(last_event_id: number): void {
    for (const poll of this.#polls.takeInterrupted()) this.#start(poll);
    if (this.#joining.size > 0 || last_event_id > (this.#head ?? Number.POSITIVE_INFINITY)) this.look();
  }

  /** Sends a heartbeat to the polls and streams that are due. Returns whether any wait, or did at the last beat. */
  async beat(now: number): Promise<boolean> {
    const isUsed = this.#polls.size > 0 || !this.#wasEmpty;
    this.#wasEmpty = this.#polls.size === 0;
    this.#sources.progress.noteWaiting(this.#polls, this.#sources.unsaved);
    if (!sendDueHeartbeats(this.#polls, now, this.#quiet)) return isUsed;
    await insertHeartbeat(this.#sources.db, this.#realm_id, this.#sources.clock());
    this.look();
    return isUsed;
  }

  /** Reads for one poll until it has what the ready polls have, or can join them. */
  async #catchUp(poll: Poll): Promise<void> {
    const isOver = () => !this.#polls.has(poll);
    for (let isFree = poll.isContinuation; ; isFree = true) {
      const events = await readEvents(this.#sources, poll, { isOver });
      if (isOver() || (events.length > 0 && !this.#deliver(poll, events, isFree))) return;
      if (this.#isUpToDate(poll)) {
        poll.ready = true;
        return;
      }
      // What happened while the first poll read the log was not read for any.
      this.#head ??= poll.cursor;
      if (isNear(poll, this.#head)) return this.#join(poll);
    }
  }

  /** Returns whether the receiver accepts more at once. `isFree`: the request does not count against the rate limit. */
  #deliver(poll: Poll, events: PreserializedEvent[], isFree: boolean): boolean {
    // A poll that ended during the read gets nothing.
    if (!this.#polls.has(poll)) return false;
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
    if (!poll.blocked || !this.#polls.has(poll)) return;
    poll.blocked = false;
    // Mostly nothing was read meanwhile: the connection had taken all that was written before the next turn.
    this.#start(poll);
  }

  /** Reads and distributes a page of new events. Returns whether there may be more. */
  async #look(): Promise<boolean> {
    if (this.#polls.size === 0) this.#missedEvents = true;
    if (this.#head === undefined || this.#polls.size === 0) return false;
    const joining = [...this.#joining];
    this.#joining.clear();
    const after = joining.reduce((least, { cursor }) => Math.min(least, cursor), this.#head);
    try {
      const start = { realm_id: this.#realm_id, after };
      const hasMore = await readPageForQueues(this.#sources, start, (page) => this.#distribute(page, joining));
      if (!hasMore) this.#missedEvents = false;
      return hasMore;
    } catch (error) {
      for (const poll of joining.filter((one) => this.#polls.has(one))) {
        if (findUnavailability(error)) poll.interrupted = true;
        // If it was their events that failed, each fails by itself, and the ready polls go on.
        else this.#startCatchUp(poll);
      }
      throw error;
    }
  }

  /** Returns whether there may be more. */
  async #distribute({ events: page, scanned, more }: LoggedEventPage, joining: readonly Poll[]): Promise<boolean> {
    const { recent, clock } = this.#sources;
    const before = { head: this.#head ?? 0, ephemeralCursor: this.#ephemeralCursor };
    const joined = joining.filter((poll) => this.#polls.has(poll));
    if (scanned < before.head) {
      // The events that those who join have not seen fill more than a page.
      for (const poll of joined) this.#startCatchUp(poll);
      return true;
    }
    const known = page.filter(({ id }) => id <= before.head);
    const events = page.slice(known.length);
    const oldest = joined.reduce((least, poll) => Math.min(least, poll.ephemeralCursor), before.ephemeralCursor);
    const fresh = recent.after(this.#realm_id, oldest, clock().getTime());
    // A poll that becomes ready from here on has read all of this itself.
    this.#head = scanned;
    this.#ephemeralCursor = recent.newest;
    try {
      await this.#share({ known, events, fresh }, joined);
      this.#polls.pass(scanned, this.#ephemeralCursor);
      return more;
    } catch (error) {
      for (const poll of joined) poll.ready = false;
      this.#head = before.head;
      this.#ephemeralCursor = before.ephemeralCursor;
      throw error;
    }
  }

  /** Sends events to the ready polls, and to those that join also what the others have, without delay. */
  async #share(shared: SharedEvents, joined: readonly Poll[]): Promise<void> {
    const heartbeat = findHeartbeat(shared.events);
    const ready = this.#polls.listReady(heartbeat ? undefined : listReceivers([...shared.events, ...shared.fresh]));
    for (const poll of joined) poll.ready = true;
    const reach = { scanned: this.#head ?? 0, ephemeralCursor: this.#ephemeralCursor };
    const now = this.#sources.clock();
    const { byQueue, revoked } = await computeSharedDeliveries(this.#sources, shared, { ready, joined }, now);
    const send = (polls: readonly Poll[], deliver: (poll: Poll, found: AllFoundEvents) => void) => {
      for (const poll of polls) {
        const own = byQueue.get(poll.queue.id);
        if (revoked.has(poll.queue.id)) this.end(poll.queue.id, poll.ticket);
        else if (own || heartbeat) deliver(poll, { ...(own ?? NOTHING), ...reach });
      }
    };
    send(ready, (poll, found) => this.#hand(poll, found, heartbeat));
    send(joined, (poll, found) => this.#send(poll, findUnseen(poll, found)));
  }

  /** Sends the delayed events that are due. Returns whether there are others. */
  #sendDelayed(): boolean {
    const now = performance.now();
    let isDelaying = false;
    for (const poll of this.#polls) {
      const { delayed } = poll;
      if (!delayed) continue;
      if (delayed.due > now) isDelaying = true;
      else this.#hand(poll, { ...delayed, events: [], ephemeral: [], ephemeralCursor: poll.ephemeralCursor });
    }
    return isDelaying;
  }

  /** Delivers to a poll what it has not seen yet of what was found, or a heartbeat if there is none and one is due. */
  #hand(poll: Poll, found: AllFoundEvents, heartbeat = 0): void {
    const [now, delayed] = [performance.now(), poll.delayed];
    const isDue = heartbeat > poll.cursor && poll.due <= now;
    const unseen = findUnseen(poll, found);
    poll.delayed = isDue ? undefined : delayEvents(unseen, { delayed, now, delay: this.#sources.delay });
    if (poll.delayed) this.#sendDelayedLater();
    else this.#send(poll, withDelayed(unseen, delayed), isDue ? heartbeat : undefined);
  }

  #send(poll: Poll, unseen: AllFoundEvents, heartbeat?: number): void {
    const batch = limitToResponse(unseen, poll.ephemeralCursor);
    advanceReader(poll, batch);
    if (batch.events.length + batch.ephemeral.length > 0) {
      const isReady = this.#deliver(poll, assignClientIds(poll.sent, batch), true);
      // A stream continues with what did not fit.
      if (!isReady || (poll.cursor >= unseen.scanned && poll.ephemeralCursor >= unseen.ephemeralCursor)) return;
      poll.ready = false;
      this.#startCatchUp(poll);
    } else if (heartbeat !== undefined && !poll.receiver.isStream) {
      const events = [toHeartbeatDelivery(heartbeat)];
      this.#deliver(poll, assignClientIds(poll.sent, { ...batch, events }), false);
    }
  }
}
