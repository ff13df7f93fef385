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
  readonly events: readonly SizedDelivery[];
  /** How far the log was read. */
  scanned: number;
  /** When they are sent at the latest: milliseconds of `performance.now()`. */
  readonly due: number;
}

/**
 * Returns these events as the delayed events of a poll; undefined if they must be sent now. The delay is random, so that the server does not
 * write to all clients at once.
 */
export function delayEvents(
  { events, scanned, ephemeral }: AllFoundEvents,
  {
    delayed,
    now,
    delay,
  }: { readonly delayed: DelayedEvents | undefined; readonly now: number; readonly delay: number },
): DelayedEvents | undefined {
  if (
    events.length === 0 ||
    events.length > MOST ||
    ephemeral.length > 0 ||
    !events.every(({ event }) => delayable.has(event.type))
  )
    return undefined;
  const due = delayed?.due ?? now + delay * (0.5 + Math.random());
  return due > now ? { events, scanned, due } : undefined;
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
