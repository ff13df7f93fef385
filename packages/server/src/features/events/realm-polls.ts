import type { Db } from '@parley/db';
import type { Delivered, Queue } from '../../core/context.ts';
import type { Waiter } from '../../core/later.ts';
import type { Logger } from '../../core/log.ts';
import type { RecentEphemera } from './ephemeral.ts';
import { deliveries, readFor } from './log.ts';
import { type Found, numbered } from './numbering.ts';
import { insertHeartbeat, listEvents } from './queries.ts';
import type { Logged } from './rules.ts';
import type { Mark, Standings } from './standings.ts';

/** Where everything comes from that a queue is given. */
export interface Sources {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly recent: RecentEphemera;
  readonly standings: Standings;
}

/** How far the events of a queue were read for its client. */
export interface Reading {
  readonly queue: Queue;
  /** Where the client stood when it asked. */
  readonly had: Mark;
  /** The log was read up to here. */
  cursor: number;
  /** Ephemeral events were looked at up to this number. */
  told: number;
}

/** What there is for a queue now. */
export async function read({ db, recent, clock }: Sources, reading: Reading): Promise<Delivered[]> {
  const { queue, had } = reading;
  const { events, scanned } = await readFor(db, queue, reading.cursor);
  const fresh = recent.after(queue.realm_id, reading.told, clock().getTime());
  const told = recent.newest;
  const ephemeral = (await deliveries(db, fresh, [queue])).get(queue.id) ?? [];
  Object.assign(reading, { cursor: scanned, told });
  return numbered(had.id, { events, scanned, ephemeral });
}

/** Remembers what a queue was given. */
export function note({ standings, clock }: Sources, { queue, had, told }: Reading, events: readonly Delivered[]): void {
  standings.note(queue.id, had, { id: events.at(-1)?.id ?? had.id, told }, clock().getTime());
}

/** Who waits, and how. */
interface Wait {
  readonly ticket: string;
  /** When a heartbeat is due: milliseconds of `performance.now()`. */
  readonly due: number;
  readonly waiter: Waiter<Delivered[]>;
}

interface Poll extends Reading, Wait {
  /** Not yet while it is catching up: until then only its own reading may answer it. */
  ready: boolean;
}

/** The polls of one organization that wait in this process, fed from its log once for all of them. */
export class RealmPolls {
  readonly #realm_id: number;
  readonly #sources: Sources;
  readonly #onEmpty: () => void;
  readonly #polls = new Map<string, Poll>();
  /** The log was read up to here for every poll that is ready. */
  #head: number | undefined;
  /** So were ephemeral events, up to this number. */
  #told: number;
  /** Grows with every look, so that a poll which was catching up meanwhile knows to read again. */
  #looks = 0;
  #looking = false;
  #lookAgain = false;

  constructor(realm_id: number, sources: Sources, onEmpty: () => void) {
    this.#realm_id = realm_id;
    this.#sources = sources;
    this.#onEmpty = onEmpty;
    this.#told = sources.recent.newest;
  }

  get size(): number {
    return this.#polls.size;
  }

  wait(reading: Reading, wait: Wait): void {
    const { id } = reading.queue;
    const poll: Poll = { ...reading, ...wait, ready: false };
    const before = this.#polls.get(id);
    this.#polls.set(id, poll);
    before?.waiter.answer([]);
    this.#catchUp(poll).catch((error) => {
      if (this.#remove(poll)) poll.waiter.fail(error);
    });
  }

  /** Ends the poll of a queue, if it waits here; if a ticket is given, only the poll that has it. */
  end(queue_id: string, ticket?: string): boolean {
    const poll = this.#polls.get(queue_id);
    if (!poll || (ticket !== undefined && poll.ticket !== ticket)) return false;
    this.#remove(poll);
    poll.waiter.answer([]);
    return true;
  }

  endAll(): void {
    for (const id of [...this.#polls.keys()]) this.end(id);
  }

  /** Whether the poll was still waiting. */
  #remove(poll: Poll): boolean {
    const { id } = poll.queue;
    if (this.#polls.get(id) !== poll) return false;
    this.#polls.delete(id);
    if (this.#polls.size === 0) this.#onEmpty();
    return true;
  }

  /** Looks for news, and once more if there was a call meanwhile. */
  look(): void {
    this.#lookAgain = true;
    if (this.#looking) return;
    this.#looking = true;
    this.#lookUntilDone().catch((error) =>
      this.#sources.log.error({ err: error, realm: this.#realm_id }, 'the event log cannot be read; trying again'),
    );
  }

  lookIfBehind(last_event_id: number): void {
    if (last_event_id > (this.#head ?? Number.POSITIVE_INFINITY)) this.look();
  }

  /** Gives the polls that have waited long enough in quiet a heartbeat. */
  async beat(now: number): Promise<void> {
    if (![...this.#polls.values()].some((poll) => poll.ready && poll.due <= now)) return;
    await insertHeartbeat(this.#sources.db, this.#realm_id, this.#sources.clock());
    this.look();
  }

  /** Reads for one poll until nothing happened while it was reading. */
  async #catchUp(poll: Poll): Promise<void> {
    for (;;) {
      const looks = this.#looks;
      const events = await read(this.#sources, poll);
      if (events.length > 0) return this.#answer(poll, events);
      if (looks === this.#looks && poll.cursor >= (this.#head ?? 0) && poll.told >= this.#told) break;
    }
    poll.ready = true;
    this.#head ??= poll.cursor;
  }

  #answer(poll: Poll, events: Delivered[]): void {
    // Of a poll that was ended while it was being read for, nothing was given.
    if (!this.#remove(poll)) return;
    note(this.#sources, poll, events);
    poll.waiter.answer(events);
  }

  async #lookUntilDone(): Promise<void> {
    try {
      while (this.#lookAgain) {
        this.#lookAgain = false;
        this.#looks++;
        if (this.#head === undefined) continue;
        const { page } = await listEvents(this.#sources.db, this.#realm_id, this.#head);
        await this.#distribute(page);
        if (page.length > 0) this.#lookAgain = true;
      }
    } finally {
      // Nothing is awaited between the last look and here, so no wake-up falls in between.
      this.#looking = false;
    }
  }

  async #distribute(page: readonly Logged[]): Promise<void> {
    const { db, recent, clock } = this.#sources;
    const before = { head: this.#head, told: this.#told };
    const ready = [...this.#polls.values()].filter((poll) => poll.ready);
    const fresh = recent.after(this.#realm_id, this.#told, clock().getTime());
    // Whoever becomes ready from here on has read all of this by itself.
    this.#head = page.at(-1)?.id ?? this.#head;
    this.#told = recent.newest;
    const reach = { cursor: this.#head ?? 0, told: this.#told };
    try {
      const queues = ready.map((poll) => poll.queue);
      const events = await deliveries(db, page, queues);
      const ephemeral = await deliveries(db, fresh, queues);
      const heartbeat = page.findLast((event) => event.payload.type === 'heartbeat');
      for (const poll of ready) {
        const { id } = poll.queue;
        const found = { events: events.get(id) ?? [], scanned: reach.cursor, ephemeral: ephemeral.get(id) ?? [] };
        this.#hand(poll, found, reach, heartbeat?.id);
      }
    } catch (error) {
      this.#head = before.head;
      this.#told = before.told;
      throw error;
    }
  }

  /** Gives a poll what it has not seen yet of what was found, and a heartbeat if there is none and one is due. */
  #hand(poll: Poll, found: Found, reach: Pick<Reading, 'cursor' | 'told'>, heartbeat = 0): void {
    const events = found.events.filter(({ id }) => id > poll.cursor);
    const ephemeral = found.ephemeral.filter(({ id }) => id > poll.told);
    if (events.length + ephemeral.length === 0 && heartbeat > poll.cursor && poll.due <= performance.now()) {
      events.push({ type: 'heartbeat', id: heartbeat });
    }
    poll.cursor = Math.max(poll.cursor, reach.cursor);
    poll.told = Math.max(poll.told, reach.told);
    if (events.length + ephemeral.length === 0) return;
    this.#answer(poll, numbered(poll.had.id, { events, scanned: poll.cursor, ephemeral }));
  }
}
