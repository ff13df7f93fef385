// Presence events wait a moment, so that a client receives several in one write.
import type { Logger } from '../../core/log.ts';
import type { Delivered } from '../../core/polls.ts';
import type { AllFoundEvents } from './limit-response.ts';
import type { SizedDelivery } from './sized-delivery.ts';

/** Milliseconds between checks for events that are due. */
const CHECK = 50;
/** The maximum number of events that a poll delays. */
const MOST = 50;

/** Every user has such an event about once a minute (docs/behaviour/events.md#delayed-events). */
const delayable: ReadonlySet<Delivered['type']> = new Set<Delivered['type']>(['presence']);

/** Events that were found for a poll and are not sent yet. The read positions of the poll stay before them. */
export interface DelayedEvents {
  readonly events: SizedDelivery[];
  /** How far the log was read. */
  scanned: number;
  /** When they are sent at the latest: milliseconds of `performance.now()`. */
  readonly due: number;
}

interface DelayOptions {
  /** Those that the poll delays already. */
  readonly delayed: DelayedEvents | undefined;
  readonly now: number;
  readonly delay: number;
}

/**
 * Adds these events to the delayed events of a poll, and returns them; undefined if all must be sent now. The delay is random, so that the
 * server does not write to all clients at once.
 */
export function delayEvents(
  { events, scanned, ephemeral }: AllFoundEvents,
  { delayed, now, delay }: DelayOptions,
): DelayedEvents | undefined {
  const count = (delayed?.events.length ?? 0) + events.length;
  if (count === 0 || count > MOST || ephemeral.length > 0) return undefined;
  if (!events.every(({ event }) => delayable.has(event.type))) return undefined;
  const due = delayed?.due ?? now + delay * (0.5 + Math.random());
  if (due <= now) return undefined;
  if (!delayed) return { events: [...events], scanned, due };
  // A poll gets each user's presence by itself: to copy those before it would take longer with each.
  delayed.events.push(...events);
  delayed.scanned = scanned;
  return delayed;
}

/** What was found for a poll, after the events that it delays. */
export function withDelayed(found: AllFoundEvents, delayed: DelayedEvents | undefined): AllFoundEvents {
  return delayed ? { ...found, events: [...delayed.events, ...found.events] } : found;
}

/** Returns a function that starts a timer, which calls `send` until it returns that no poll delays events. */
export function createDelayTimer(send: () => boolean, log: Logger): () => void {
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    if (!timer) timer = setTimeout(check, CHECK).unref();
  };
  const check = () => {
    timer = undefined;
    try {
      if (send()) start();
    } catch (error) {
      log.error({ err: error }, 'delayed events cannot be sent to a client');
      // Other polls may delay events too.
      start();
    }
  };
  return start;
}
