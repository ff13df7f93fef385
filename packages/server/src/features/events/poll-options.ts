import { defaultHeartbeatTimes, type HeartbeatTimes } from './heartbeats.ts';

/** Milliseconds. */
export interface PollTimes extends HeartbeatTimes {
  /**
   * The interval at which the log is read even without a wake-up: a lost wake-up delays events by this much, and never
   * loses one.
   */
  fallback: number;
  /** Wake-ups within this time are sent to the other processes as one. */
  coalesce: number;
  /** The interval at which streams are checked: whether their queues and credentials are still valid. */
  renew?: number;
  /** The average time for which events that can wait are delayed. Absent: they are sent at once. */
  delay?: number;
  /**
   * The minimum time from one reading of an organization's log to the next, and from one notification of the other processes to the
   * next. Each costs the process and the database about as much for one event as for several. Absent: none.
   */
  pace?: number;
}

export const defaultTimes: PollTimes = { ...defaultHeartbeatTimes, fallback: 500, coalesce: 3, delay: 1500, pace: 25 };

export interface PollOptions {
  readonly times?: PollTimes | undefined;
  /** The number of events that a waiting poll advances before its queue's row is updated. */
  readonly unsaved: number;
  /** Called when a transaction of an organization has emitted events, in this process or in another one. */
  readonly onRealmEvents?: (realm_id: number) => void;
}
