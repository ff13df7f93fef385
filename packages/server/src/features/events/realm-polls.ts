import type { Db } from '@parley/db';
import type { Delivered, Queue } from '../../core/context.ts';
import type { Waiter } from '../../core/later.ts';
import type { Logger } from '../../core/log.ts';
import type { RecentEphemera } from './ephemeral.ts';
import { deliveries, readForAll, readPageFor } from './log.ts';
import type { EventPage } from './log-sql.ts';
import { type Found, numbered } from './numbering.ts';
import { insertHeartbeat } from './queries.ts';
import { type Findings, limitToResponse } from './response-room.ts';
import type { ScanProgress } from './scan-progress.ts';
import type { Mark, Standings } from './standings.ts';

/** Where everything comes from that a queue is given. */
export interface Sources {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly recent: RecentEphemera;
  readonly standings: Standings;
  readonly progress: ScanProgress;
  /** Events that a waiting poll gets on by until its queue says so. */
  readonly unsaved: number;
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
  /** Nothing up to here is left to deliver: what was delivered since is found again until it is acknowledged. */
  passed: number;
  /** What the row of the queue says of that. */
  stored: number;
}

/** What there is for a queue now. What `isOver` says is asked between pages of the log. */
export async function read(sources: Sources, reading: Reading, isOver = () => false): Promise<Delivered[]> {
  const { db, recent, clock } = sources;
  const { queue, had } = reading;
  const { events, scanned } = await readLog(sources, reading, isOver);
  const fresh = recent.after(queue.realm_id, reading.told, clock().getTime());
  const told = recent.newest;
  const ephemeral = (await deliveries(db, fresh, [queue])).get(queue.id) ?? [];
  const found = limitToResponse({ events, scanned, ephemeral, told }, reading.told);
  advance(reading, found);
  return numbered(had.id, found);
}

/** Reads page after page until something is for the queue. Another poll that takes over goes on from the last page. */
async function readLog({ db, progress }: Sources, reading: Reading, isOver: () => boolean) {
  for (;;) {
    const { events, scanned, more } = await readPageFor(db, reading.queue, reading.cursor);
    if (events.length > 0 || !more || isOver()) return { events, scanned };
    advance(reading, { events: [], scanned, ephemeral: [], told: reading.told });
    progress.note(reading);
  }
}

function advance(reading: Reading, { events, scanned, told }: Found & { readonly told: number }): void {
  Object.assign(reading, { cursor: scanned, told, passed: events[0] ? events[0].id - 1 : scanned });
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

  /** How far the log was looked at for a queue without finding anything, if a poll of it waits here. */
  passed(queue_id: string): number {
    return this.#polls.get(queue_id)?.passed ?? 0;
  }

  wait(reading: Reading, wait: Wait): void {
    const { id } = reading.queue;
    const poll: Poll = { ...reading, ...wait, ready: false };
    const before = this.#polls.get(id);
    this.#polls.set(id, poll);
    if (before) this.#sources.progress.note(before);
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
    this.#sources.progress.note(poll);
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
    this.#noteProgress();
    if (![...this.#polls.values()].some((poll) => poll.ready && poll.due <= now)) return;
    await insertHeartbeat(this.#sources.db, this.#realm_id, this.#sources.clock());
    this.look();
  }

  /** Notes how far polls got that go on waiting. */
  #noteProgress(): void {
    for (const poll of this.#polls.values()) {
      if (poll.passed - poll.stored < this.#sources.unsaved) continue;
      this.#sources.progress.note(poll);
      poll.stored = poll.passed;
    }
  }

  /** Reads for one poll until nothing happened while it was reading. */
  async #catchUp(poll: Poll): Promise<void> {
    const isOver = () => this.#polls.get(poll.queue.id) !== poll;
    for (;;) {
      const looks = this.#looks;
      const events = await read(this.#sources, poll, isOver);
      if (events.length > 0) return this.#answer(poll, events);
      if (isOver()) return;
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
        if (this.#head === undefined || this.#polls.size === 0) continue;
        const start = { realm_id: this.#realm_id, after: this.#head };
        const found = await readForAll(this.#sources.db, start, (page) => this.#distribute(page));
        if (found) this.#lookAgain = true;
      }
    } finally {
      // Nothing is awaited between the last look and here, so no wake-up falls in between.
      this.#looking = false;
    }
  }

  /** Whether there was anything. */
  async #distribute({ events: page, scanned }: EventPage): Promise<boolean> {
    const { db, recent, clock } = this.#sources;
    const before = { head: this.#head, told: this.#told };
    const ready = [...this.#polls.values()].filter((poll) => poll.ready);
    const fresh = recent.after(this.#realm_id, this.#told, clock().getTime());
    // Whoever becomes ready from here on has read all of this by itself.
    this.#head = scanned;
    this.#told = recent.newest;
    const reach = { scanned, told: this.#told };
    try {
      const queues = ready.map((poll) => poll.queue);
      const events = await deliveries(db, page, queues);
      const ephemeral = await deliveries(db, fresh, queues);
      const heartbeat = page.findLast((event) => event.payload.type === 'heartbeat');
      for (const poll of ready) {
        const { id } = poll.queue;
        const found = { ...reach, events: events.get(id) ?? [], ephemeral: ephemeral.get(id) ?? [] };
        this.#hand(poll, found, heartbeat?.id);
      }
      return page.length > 0;
    } catch (error) {
      this.#head = before.head;
      this.#told = before.told;
      throw error;
    }
  }

  /** Gives a poll what it has not seen yet of what was found, and a heartbeat if there is none and one is due. */
  #hand(poll: Poll, found: Findings, heartbeat = 0): void {
    const isDue = heartbeat > poll.cursor && poll.due <= performance.now();
    const unseen = {
      events: found.events.filter(({ event }) => event.id > poll.cursor),
      scanned: Math.max(poll.cursor, found.scanned),
      ephemeral: found.ephemeral.filter(({ event }) => event.id > poll.told),
      told: Math.max(poll.told, found.told),
    };
    const given = limitToResponse(unseen, poll.told);
    advance(poll, given);
    const isNews = given.events.length + given.ephemeral.length > 0;
    if (isNews) this.#answer(poll, numbered(poll.had.id, given));
    else if (isDue)
      this.#answer(poll, numbered(poll.had.id, { ...given, events: [{ type: 'heartbeat', id: heartbeat }] }));
  }
}
