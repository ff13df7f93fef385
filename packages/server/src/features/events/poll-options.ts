/** Milliseconds. */
export interface PollTimes {
  /** Quiet after which a waiting poll gets a heartbeat: at least, and how much later at most. */
  quiet: number;
  spread: number;
  /** How often waiting polls are looked at for heartbeats. */
  tick: number;
  /** How often the log is looked at even without a wake-up: a lost one costs this much time and never an event. */
  fallback: number;
  /** Wake-ups within this time are sent to the other processes as one. */
  coalesce: number;
  /** How often streams are checked: whether their queues and credentials are still valid. */
  renew?: number;
}

// docs/behaviour/events.md#heartbeats: a heartbeat after 45 to 55 s of quiet.
export const defaultTimes: PollTimes = { quiet: 45_000, spread: 5_000, tick: 5_000, fallback: 500, coalesce: 3 };

export interface PollOptions {
  readonly times?: PollTimes | undefined;
  /** How many events a waiting poll gets on by until its queue says so. */
  readonly unsaved: number;
  /** Called when a transaction of an organization has emitted events, in this process or in another one. */
  readonly onNews?: (realm_id: number) => void;
}
