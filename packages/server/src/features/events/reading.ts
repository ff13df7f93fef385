// How far the events of a queue were read for its client, and reading on from there.
import type { Db } from '@parley/db';
import type { Queue } from '../../core/context.ts';
import type { Logger } from '../../core/log.ts';
import type { PreserializedEvent } from '../../core/preserialized-events.ts';
import { deliveries, deliveriesTo, readPageFor } from './log.ts';
import { type Found, numbered } from './numbering.ts';
import type { RecentEphemeralEvents } from './recent-ephemeral-events.ts';
import { limitToResponse } from './response-room.ts';
import type { ScanProgress } from './scan-progress.ts';
import type { Mark, Standings } from './standings.ts';

/** Where everything comes from that a queue is given. */
export interface Sources {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly recent: RecentEphemeralEvents;
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
  /** The newest event that the client was sent, as it knows it. */
  sent: number;
  /** The client has everything that the queue was given before. */
  readonly isContinuation: boolean;
  /** The log was read up to here. */
  cursor: number;
  /** Ephemeral events were looked at up to this number. */
  told: number;
  /** Nothing up to here is left to deliver: what was delivered since is found again until it is acknowledged. */
  passed: number;
  /** What the row of the queue says of that. */
  stored: number;
  /** Of a stream: the newest event of the log that it sent and the client has not acknowledged; 0 if there is none. */
  outstanding: number;
}

/** What there is for a queue now. What `isOver` says is asked between pages of the log. */
export async function read(sources: Sources, reading: Reading, isOver = () => false): Promise<PreserializedEvent[]> {
  const { db, recent, clock } = sources;
  const { queue } = reading;
  const { events, scanned } = await readLog(sources, reading, isOver);
  const fresh = recent.after(queue.realm_id, reading.told, clock().getTime());
  const told = recent.newest;
  const ephemeral = deliveriesTo(queue, await deliveries(db, fresh, [queue]));
  const found = limitToResponse({ events, scanned, ephemeral, told }, reading.told);
  advance(reading, found);
  return numbered(reading.sent, found);
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

/** Notes how far the log was read, and what was found there. */
export function advance(reading: Reading, { events, scanned, told }: Found & { readonly told: number }): void {
  const passed = events[0] ? events[0].id - 1 : scanned;
  Object.assign(reading, { cursor: scanned, told, passed: reading.outstanding > 0 ? reading.passed : passed });
}

/** Remembers what a queue was given. */
export function note(
  { standings, clock }: Sources,
  { queue, had, told, cursor }: Reading,
  events: readonly PreserializedEvent[],
): void {
  standings.note(queue.id, had, { id: events.at(-1)?.id ?? had.id, told, cursor }, clock().getTime());
}
