// Events that can wait a moment: each would be a write to every client of the organization, and many of them are one write.
import type { Logger } from '../../core/log.ts';
import type { Delivered } from '../../core/polls.ts';
import type { AllFoundEvents } from './limit-response.ts';
import type { SizedDelivery } from './sized-delivery.ts';

/** Milliseconds between looks for what is due. */
const LOOK = 50;

/** Every user has such an event about once a minute (docs/behaviour/events.md#delayed-events). */
const canWait: ReadonlySet<Delivered['type']> = new Set<Delivered['type']>(['presence']);

/** What was found for a poll and is not sent yet. The positions of the poll are before it. */
export interface DelayedEvents {
  readonly events: readonly SizedDelivery[];
  /** How far the log was read. */
  scanned: number;
  /** When they are sent at the latest: milliseconds of `performance.now()`. */
  readonly due: number;
}

/**
 * What a poll delays from now on of what it has not sent; undefined: it must be sent. Clients delay events for different times, so that they
 * are not sent to all at once.
 */
export function delayEvents(
  { events, scanned, ephemeral }: AllFoundEvents,
  {
    delayed,
    now,
    delay,
  }: { readonly delayed: DelayedEvents | undefined; readonly now: number; readonly delay: number },
): DelayedEvents | undefined {
  if (events.length === 0 || ephemeral.length > 0 || !events.every(({ event }) => canWait.has(event.type)))
    return undefined;
  const due = delayed?.due ?? now + delay * (0.5 + Math.random());
  return due > now ? { events, scanned, due } : undefined;
}

/** Returns a function that has `send` called, and called again for as long as it returns that more is delayed. */
export function createDelayTimer(send: () => boolean, log: Logger): () => void {
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    if (!timer) timer = setTimeout(look, LOOK).unref();
  };
  const look = () => {
    timer = undefined;
    try {
      if (send()) start();
    } catch (error) {
      log.error({ err: error }, 'events that waited cannot be sent');
    }
  };
  return start;
}
