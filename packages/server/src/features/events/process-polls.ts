import type { Database } from '@parley/db';
import { isExpired } from '../../core/access-token.ts';
import type { EventSink } from '../../core/event-stream.ts';
import type { Logger } from '../../core/log.ts';
import type { CheckedCredentials, EphemeralEvent, PollPosition, Polls, Queue } from '../../core/polls.ts';
import type { PreserializedEvent } from '../../core/preserialized-events.ts';
import { KnownAccounts, listLastEventIds } from '../event-log/index.ts';
import { parseClientId } from './client-event-ids.ts';
import { CredentialsRevoked } from './deliveries.ts';
import { renewStreams, type StreamLease } from './event-streams-sql.ts';
import { getQuietTime } from './heartbeats.ts';
import { type PollClaim, PollContinuations } from './poll-continuations.ts';
import { defaultTimes, type PollOptions, type PollTimes } from './poll-options.ts';
import { QueueCursors } from './queue-cursors.ts';
import { noteDelivered, type PollSources, type QueueReader, readEvents } from './queue-reader.ts';
import { RealmPolls } from './realm-polls.ts';
import { type EventReceiver, type PollWaiter, toPollReceiver, toStreamReceiver } from './receiver.ts';
import { RecentEphemeralEvents } from './recent-ephemeral-events.ts';
import { ScanProgress } from './scan-progress.ts';
import { setSerialInterval } from './serial-interval.ts';
import { WakeChannel, type WakeMessage } from './wake-channel.ts';

const MINUTE = 60_000;
/**
 * The interval at which streams are checked, and the seconds by which that prolongs their queues: enough for two failed
 * checks.
 */
const RENEW = 20_000;
const LEASE_SECS = 60;
/** Streams that one statement checks. */
const LEASES = 5000;
/** The maximum transit time of an ephemeral event to another process, plus the difference of their clocks. */
const TRANSIT = 1000;

export interface PollServer extends Polls {
  /** Reads an organization's log now, and notifies the other processes. */
  wake(realm_id: number): void;
  /** Starts listening to the other processes. */
  listen(): Promise<void>;
  /** Saves the progress of queues, and sends the notifications to other processes that are still pending. */
  flush(): Promise<void>;
  /** Ends every waiting poll with an empty list, and every stream. Later ones wait. */
  endAll(): void;
  /** Ends every waiting poll with an empty list, ends every stream, and stops. */
  close(): void;
  /** The number of waiting polls and open streams. */
  waiting(): number;
}

/** Opens the long polls of this process. */
export function createPolls(database: Database, log: Logger, clock: () => Date, options: PollOptions): PollServer {
  return new LongPolls(database, log, clock, options);
}

class LongPolls implements PollServer {
  readonly #realms = new Map<number, RealmPolls>();
  readonly #timers: NodeJS.Timeout[];
  readonly #channel: WakeChannel;
  readonly #sources: PollSources;
  readonly #times: PollTimes;
  readonly #onRealmEvents: (realm_id: number) => void;
  #closed = false;
  #tickets = 0;
  /** Tickets of the last minute whose polls were ended before they began to wait, with the time. */
  readonly #endedEarly = new Map<string, number>();

  constructor(
    database: Database,
    log: Logger,
    clock: () => Date,
    { times = defaultTimes, unsaved, onRealmEvents = () => {} }: PollOptions,
  ) {
    this.#onRealmEvents = onRealmEvents;
    const [recent, cursors, progress] = [new RecentEphemeralEvents(), new QueueCursors(), new ScanProgress()];
    const continuations = new PollContinuations();
    const { delay = 0, pace = 0, coalesce } = times;
    this.#channel = new WakeChannel(database, log, { coalesce, pace });
    const { db } = database;
    const accounts = new KnownAccounts();
    this.#sources = { db, accounts, log, clock, recent, cursors, progress, continuations, unsaved, delay, pace };
    this.#times = times;
    this.#timers = [
      setSerialInterval(times.tick, () => this.#beat(), log),
      setSerialInterval(times.fallback, () => this.#checkLogs(), log),
      setSerialInterval(times.renew ?? RENEW, () => this.#renewStreams(), log),
    ];
  }

  begin(queue_id: string, last_event_id: number): void {
    const { recent, cursors, clock } = this.#sources;
    const mark = { id: last_event_id, ephemeralCursor: recent.newest };
    cursors.note(queue_id, mark, { ...mark, cursor: parseClientId(last_event_id).log_id }, clock().getTime());
  }

  findNewestSent({ id, poller }: { readonly id: string; readonly poller: string | null }): number | undefined {
    return this.#wasHere(poller) ? this.#sources.cursors.newest(id) : undefined;
  }

  ticket(): string {
    return `${this.#channel.process}/${++this.#tickets}`;
  }

  async read(queue: Queue, position: PollPosition): Promise<PreserializedEvent[]> {
    const reading = this.#readingOf(queue, position);
    // A response that does not wait may leave out what was committed after the queue was claimed.
    const events = await readEvents(this.#sources, reading, { newest: position.newest });
    noteDelivered(this.#sources, reading, events);
    this.#sources.progress.note(reading);
    return events;
  }

  scanned({ id, realm_id }: Pick<Queue, 'id' | 'realm_id'>): number {
    return Math.max(this.#sources.progress.take(id), this.#realms.get(realm_id)?.reader(id)?.passed ?? 0);
  }

  wait(queue: Queue, position: PollPosition, ticket: string, waiter: PollWaiter): void {
    this.#begin({ queue, position, ticket, at: performance.now() }, toPollReceiver(waiter));
  }

  continuePoll(
    queue_id: string,
    last_event_id: number,
    credentials: CheckedCredentials,
  ): ((waiter: PollWaiter) => void) | undefined {
    const { continuations, clock } = this.#sources;
    const claim = continuations.take(queue_id, last_event_id, credentials);
    const token = claim?.queue.token;
    if (!claim || (token && isExpired(token, clock()))) return undefined;
    const position = { ...claim.position, last_event_id, poller: claim.ticket };
    return (waiter) => this.#begin({ ...claim, position }, toPollReceiver(waiter));
  }

  findAcknowledged({ id, realm_id }: Pick<Queue, 'id' | 'realm_id'>): number {
    const acknowledged = this.#sources.cursors.acknowledged(id);
    return parseClientId(Math.max(acknowledged, this.#realms.get(realm_id)?.reader(id)?.had.id ?? 0)).log_id;
  }

  stream(queue: Queue, position: PollPosition, ticket: string, sink: EventSink): () => void {
    const onError = (error: unknown) => {
      if (error instanceof CredentialsRevoked) return;
      this.#sources.log.error({ err: error, realm: queue.realm_id }, 'a stream of events was ended');
    };
    this.#begin({ queue, position, ticket, at: performance.now() }, toStreamReceiver(sink, onError));
    return () => this.#realms.get(queue.realm_id)?.forget(queue.id, ticket);
  }

  #begin(claim: PollClaim, receiver: EventReceiver): void {
    const { queue, position, ticket } = claim;
    if (this.#closed || this.#endedEarly.delete(ticket)) {
      receiver.end();
      return;
    }
    const due = performance.now() + this.#quiet();
    this.#realmPolls(queue.realm_id).wait(this.#readingOf(queue, position), { ticket, due, receiver, claim });
  }

  readonly #quiet = (): number => getQuietTime(this.#times);

  #realmPolls(realm_id: number): RealmPolls {
    const known = this.#realms.get(realm_id);
    if (known) return known;
    const realm = new RealmPolls(realm_id, this.#sources, this.#quiet);
    this.#realms.set(realm_id, realm);
    return realm;
  }

  end(queue_id: string, ticket: string | null): void {
    if (ticket === null) return;
    if (this.#isOwn(ticket)) this.#endTicket(queue_id, ticket);
    else this.#channel.queue(({ ended }) => void ended.push({ queue_id, ticket }));
  }

  publishEphemeral(event: EphemeralEvent): void {
    if (!this.#sources.recent.add(event)) return;
    this.#channel.queue(({ ephemeral }) => void ephemeral.push(event));
    this.#realms.get(event.realm_id)?.look();
  }

  wake(realm_id: number): void {
    this.#onRealmEvents(realm_id);
    this.#realms.get(realm_id)?.look();
    this.#channel.queue(({ realms }) => void (realms.includes(realm_id) || realms.push(realm_id)));
  }

  listen(): Promise<void> {
    return this.#channel.listen((message) => this.#handleMessage(message));
  }

  async flush(): Promise<void> {
    await this.#sources.progress.save(this.#sources.db);
    await this.#channel.flush();
  }

  endAll(): void {
    this.#sources.continuations.clear();
    for (const realm of this.#realms.values()) realm.endAll();
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#channel.stop();
    this.endAll();
  }

  waiting(): number {
    return [...this.#realms.values()].reduce((sum, realm) => sum + realm.size, 0);
  }

  /**
   * The position to read on from for a client. Of what other processes sent to a queue, only the time of the last poll
   * is known: an event can then be delivered twice rather than lost.
   */
  #readingOf(queue: Queue, { last_event_id, poller, seen_at, scanned }: PollPosition): QueueReader {
    const { recent, cursors } = this.#sources;
    const known = cursors.ephemeralSentTo(queue.id, last_event_id);
    const ephemeralCursor =
      known !== undefined && this.#wasHere(poller)
        ? known
        : Math.max(known ?? 0, recent.numberAt(queue.realm_id, seen_at - TRANSIT));
    const cursor = Math.max(scanned, cursors.cursorOf(queue.id, last_event_id) ?? 0);
    return {
      queue,
      had: { id: last_event_id, ephemeralCursor },
      sent: last_event_id,
      isContinuation: cursors.newest(queue.id) === last_event_id,
      cursor,
      ephemeralCursor,
      passed: cursor,
      stored: scanned,
      outstanding: 0,
    };
  }

  /** Whether no other process has served the queue since this process knows of it. */
  readonly #wasHere = (poller: string | null): boolean => poller === null || this.#isOwn(poller);

  readonly #isOwn = (ticket: string): boolean => ticket.startsWith(`${this.#channel.process}/`);

  #endTicket(queue_id: string, ticket: string): void {
    const isContinued = this.#sources.continuations.end(queue_id, ticket);
    const waited = [...this.#realms.values()].some((realm) => realm.end(queue_id, ticket));
    if (!waited && !isContinued) this.#endedEarly.set(ticket, performance.now());
  }

  async #beat(): Promise<void> {
    const now = performance.now();
    for (const [ticket, at] of this.#endedEarly) if (now - at > MINUTE) this.#endedEarly.delete(ticket);
    const { db, recent, cursors, progress, continuations, clock } = this.#sources;
    continuations.sweep();
    recent.sweep(clock().getTime());
    cursors.sweep(clock().getTime());
    for (const [realm_id, realm] of this.#realms) if (!(await realm.beat(now))) this.#dropIfEmpty(realm_id);
    await progress.save(db);
  }

  #dropIfEmpty(realm_id: number): void {
    if (this.#realms.get(realm_id)?.size === 0) this.#realms.delete(realm_id);
  }

  /**
   * Ends the streams whose queue, account or API key has ended in any process, and keeps the queues of the others
   * alive.
   */
  async #renewStreams(): Promise<void> {
    const all = [...this.#realms.values()].flatMap((realm) => realm.leases());
    for (let n = 0; n < all.length; n += LEASES) await this.#renewSome(all.slice(n, n + LEASES));
  }

  async #renewSome(leases: readonly StreamLease[]): Promise<void> {
    const { db, clock } = this.#sources;
    const found = await renewStreams(db, leases, { now: clock(), waitSecs: LEASE_SECS });
    const renewals = new Map(found.map((renewal) => [renewal.id, renewal]));
    for (const realm_id of new Set(leases.map((lease) => lease.realm_id))) {
      const own = leases.filter((lease) => lease.realm_id === realm_id);
      this.#realms.get(realm_id)?.applyRenewals(own, renewals);
    }
  }

  async #checkLogs(): Promise<void> {
    if (this.#realms.size === 0) return;
    for (const { realm_id, last_event_id } of await listLastEventIds(this.#sources.db, [...this.#realms.keys()])) {
      this.#realms.get(realm_id)?.resume(last_event_id);
    }
  }

  #handleMessage({ ended, ephemeral, realms }: WakeMessage): void {
    for (const { queue_id, ticket } of ended) if (this.#isOwn(ticket)) this.#endTicket(queue_id, ticket);
    // JSON turned the date into a string.
    for (const event of ephemeral) this.#sources.recent.add({ ...event, at: new Date(event.at) });
    for (const realm_id of realms) this.#onRealmEvents(realm_id);
    for (const realm_id of new Set([...realms, ...ephemeral.map(({ realm_id }) => realm_id)])) {
      this.#realms.get(realm_id)?.look();
    }
  }
}
