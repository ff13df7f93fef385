// How far the events of a queue were read for its client, and reading on from there.
import type { Db } from '@parley/db';
import type { Logger } from '../../core/log.ts';
import type { Queue } from '../../core/polls.ts';
import type { PreserializedEvent } from '../../core/preserialized-events.ts';
import { assignClientIds, type FoundEvents } from './client-event-ids.ts';
import { computeDeliveries, getDeliveriesTo, readPageFor } from './deliveries.ts';
import { limitToResponse } from './limit-response.ts';
import type { Cursor, QueueCursors } from './queue-cursors.ts';
import type { RecentEphemeralEvents } from './recent-ephemeral-events.ts';
import type { ScanProgress } from './scan-progress.ts';

/** Where everything comes from that a queue is given. */
export interface PollSources {
  readonly db: Db;
  readonly log: Logger;
  readonly clock: () => Date;
  readonly recent: RecentEphemeralEvents;
  readonly cursors: QueueCursors;
  readonly progress: ScanProgress;
  /** Events that a waiting poll gets on by until its queue says so. */
  readonly unsaved: number;
}

/** How far the events of a queue were read for its client. */
export interface QueueReader {
  readonly queue: Queue;
  /** Where the client stood when it asked. */
  readonly had: Cursor;
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
export async function readEvents(
  sources: PollSources,
  reading: QueueReader,
  isOver = () => false,
): Promise<PreserializedEvent[]> {
  const { db, recent, clock } = sources;
  const { queue } = reading;
  const { events, scanned } = await readLog(sources, reading, isOver);
  const fresh = recent.after(queue.realm_id, reading.told, clock().getTime());
  const told = recent.newest;
  const ephemeral = getDeliveriesTo(queue, await computeDeliveries(db, fresh, [queue], clock()));
  const found = limitToResponse({ events, scanned, ephemeral, told }, reading.told);
  advanceReader(reading, found);
  return assignClientIds(reading.sent, found);
}

/** Reads page after page until something is for the queue. Another poll that takes over goes on from the last page. */
async function readLog({ db, progress, clock }: PollSources, reading: QueueReader, isOver: () => boolean) {
  for (;;) {
    const { events, scanned, more } = await readPageFor(db, reading.queue, reading.cursor, clock());
    if (events.length > 0 || !more || isOver()) return { events, scanned };
    advanceReader(reading, { events: [], scanned, ephemeral: [], told: reading.told });
    progress.note(reading);
  }
}

/** Notes how far the log was read, and what was found there. */
export function advanceReader(
  reading: QueueReader,
  { events, scanned, told }: FoundEvents & { readonly told: number },
): void {
  const passed = events[0] ? events[0].id - 1 : scanned;
  Object.assign(reading, { cursor: scanned, told, passed: reading.outstanding > 0 ? reading.passed : passed });
}

/** Remembers what a queue was given. */
export function noteDelivered(
  { cursors, clock }: PollSources,
  { queue, had, told, cursor }: QueueReader,
  events: readonly PreserializedEvent[],
): void {
  cursors.note(queue.id, had, { id: events.at(-1)?.id ?? had.id, told, cursor }, clock().getTime());
}
