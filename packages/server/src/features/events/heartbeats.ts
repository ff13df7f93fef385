// A waiting client gets a heartbeat after a time of quiet (docs/behaviour/events.md#heartbeats).
import type { LoggedEventPage } from '../event-log/index.ts';
import type { EventReceiver } from './receiver.ts';
import { SizedDelivery } from './sized-delivery.ts';

/** Milliseconds. */
export interface HeartbeatTimes {
  /** The quiet time after which a waiting poll gets a heartbeat: the minimum, and the maximum on top of it. */
  quiet: number;
  spread: number;
  /** The interval at which waiting polls are checked for heartbeats. */
  tick: number;
}

/** A heartbeat after 45 to 55 s of quiet. */
export const defaultHeartbeatTimes: HeartbeatTimes = { quiet: 45_000, spread: 5_000, tick: 5_000 };

/** Milliseconds of quiet until the next heartbeat: random, so that not all clients poll again at once. */
export const getQuietTime = ({ quiet, spread }: HeartbeatTimes): number => quiet + Math.random() * spread;

interface HeartbeatReceiver {
  /** False while it is catching up. */
  readonly ready: boolean;
  /** When a heartbeat is due: milliseconds of `performance.now()`. */
  due: number;
  readonly receiver: EventReceiver;
}

/**
 * Sends a heartbeat to the streams that are due. Returns whether any poll is due: its heartbeat is an event of the log.
 */
export function sendDueHeartbeats(waiting: Iterable<HeartbeatReceiver>, now: number, getQuiet: () => number): boolean {
  const due = [...waiting].filter((one) => one.ready && one.due <= now);
  for (const stream of due.filter(({ receiver }) => receiver.isStream)) {
    stream.due = now + getQuiet();
    stream.receiver.sendHeartbeat();
  }
  return due.some(({ receiver }) => !receiver.isStream);
}

/** The id of the newest heartbeat in a page of the log. */
export const findHeartbeat = (page: Readonly<LoggedEventPage['events']>): number | undefined =>
  page.findLast((event) => event.payload.type === 'heartbeat')?.id;

export const toHeartbeatDelivery = (id: number): SizedDelivery => new SizedDelivery({ type: 'heartbeat', id }, 0);
