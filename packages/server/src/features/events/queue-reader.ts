// The read positions of a queue for its client, and reading on from there.
import type { Logger } from '../../core/log.ts';
import type { Queue } from '../../core/polls.ts';
import type { PreserializedEvent } from '../../core/preserialized-events.ts';
import type { DeliverySource } from '../event-log/index.ts';
import { assignClientIds, type FoundEvents } from './client-event-ids.ts';
import { computeDeliveries, getDeliveriesTo, readPageFor } from './deliveries.ts';
import { limitToResponse } from './limit-response.ts';
import type { PollContinuations } from './poll-continuations.ts';
import type { Cursor, QueueCursors } from './queue-cursors.ts';
import type { RecentEphemeralEvents } from './recent-ephemeral-events.ts';
import type { ScanProgress } from './scan-progress.ts';

/** The sources of everything that a queue delivers. */
export interface PollSources extends DeliverySource {
  readonly log: Logger;
  readonly clock: () => Date;
  readonly recent: RecentEphemeralEvents;
  readonly cursors: QueueCursors;
  readonly progress: ScanProgress;
  readonly continuations: PollContinuations;
  /** The number of events that a waiting poll advances before its queue's row is updated. */
  readonly unsaved: number;
  /** Milliseconds for which events that can wait are delayed on average; 0: they are sent at once. */
  readonly delay: number;
  /** The minimum milliseconds from one reading of an organization's log to the next. */
  readonly pace: number;
}

/** The read positions of a queue for its client. */
export interface QueueReader {
  readonly queue: Queue;
  /** The client's position when it polled. */
  readonly had: Cursor;
  /** The newest event that was sent to the client, as a client id. */
  sent: number;
  /** The client has everything that was sent before. */
  readonly isContinuation: boolean;
  /** The log was read up to here. */
  cursor: number;
  /** Ephemeral events were read up to this number. */
  ephemeralCursor: number;
  /** All events up to here were delivered or skipped. Later deliveries are found again until they are acknowledged. */
  passed: number;
  /** The value of `passed` in the row of the queue. */
  stored: number;
  /** For streams: the newest event of the log that was sent and not acknowledged; 0 if there is none. */
  outstanding: number;
}

interface ReadOptions {
  /** Checked between pages of the log. */
  readonly isOver?: () => boolean;
  /** The newest event of the log that the response must have, if it is known: up to there the log is not read again. */
  readonly newest?: number;
}

/** Returns the events for a queue now. */
export async function readEvents(
  sources: PollSources,
  reading: QueueReader,
  { isOver = () => false, newest = Number.POSITIVE_INFINITY }: ReadOptions = {},
): Promise<PreserializedEvent[]> {
  const { recent, clock } = sources;
  const { queue } = reading;
  const hasAll = reading.cursor >= newest;
  const { events, scanned } = hasAll
    ? { events: [], scanned: reading.cursor }
    : await readLog(sources, reading, isOver);
  const fresh = recent.after(queue.realm_id, reading.ephemeralCursor, clock().getTime());
  const ephemeralCursor = recent.newest;
  const ephemeral = getDeliveriesTo(queue, await computeDeliveries(sources, fresh, [queue], clock()));
  const found = limitToResponse({ events, scanned, ephemeral, ephemeralCursor }, reading.ephemeralCursor);
  advanceReader(reading, found);
  return assignClientIds(reading.sent, found);
}

/** Reads pages until one has events for the queue. A poll that takes over continues from the last page. */
async function readLog(sources: PollSources, reading: QueueReader, isOver: () => boolean) {
  const { progress, clock } = sources;
  for (;;) {
    const { events, scanned, more } = await readPageFor(sources, reading.queue, reading.cursor, clock());
    if (events.length > 0 || !more || isOver()) return { events, scanned };
    advanceReader(reading, { events: [], scanned, ephemeral: [], ephemeralCursor: reading.ephemeralCursor });
    progress.note(reading);
  }
}

/** Advances the read positions by what was found. */
export function advanceReader(
  reading: QueueReader,
  { events, scanned, ephemeralCursor }: FoundEvents & { readonly ephemeralCursor: number },
): void {
  reading.cursor = scanned;
  reading.ephemeralCursor = ephemeralCursor;
  if (reading.outstanding === 0) reading.passed = events[0] ? events[0].id - 1 : scanned;
}

/** Advances the read positions past events that are not for the queue. Runs for each poll at each read of the log, so it allocates nothing. */
export function passEvents(reading: QueueReader, scanned: number, ephemeralCursor: number): void {
  if (scanned > reading.cursor) reading.cursor = scanned;
  if (ephemeralCursor > reading.ephemeralCursor) reading.ephemeralCursor = ephemeralCursor;
  if (reading.outstanding === 0) reading.passed = reading.cursor;
}

/** Stores what was sent for a queue. */
export function noteDelivered(
  { cursors, clock }: PollSources,
  { queue, had, ephemeralCursor, cursor }: QueueReader,
  events: readonly PreserializedEvent[],
): void {
  cursors.note(queue.id, had, { id: events.at(-1)?.id ?? had.id, ephemeralCursor, cursor }, clock().getTime());
}
