/** The lane of a task. Lanes take turns; a group is several lanes, such as those of one organization. */
export interface Lane {
  readonly lane: string;
  readonly group?: string;
}

export interface FairQueueLimits {
  /**
   * The maximum number of running tasks: of all lanes, of the lanes of one group, and of one lane. The latter two are
   * unlimited by default.
   */
  readonly running: number;
  readonly group?: number;
  readonly lane?: number;
  /** The maximum number of waiting tasks of all lanes together. */
  readonly waiting: number;
  /** Undefined: tasks wait without a timeout. */
  readonly timeouts?: QueueTimeouts;
  /** The error message of a task that fails for lack of room or time: a sentence. */
  readonly errorMessage: string;
}

/** Milliseconds. */
export interface QueueTimeouts {
  /** The maximum time that a task waits. */
  readonly wait: number;
  /** In overload (`OverloadDetector`), no more tasks wait than are started within this time. */
  readonly target: number;
}

/** Milliseconds. */
export interface TransactionTurnLimits {
  /** The maximum time that a transaction waits for its turn. */
  readonly wait: number;
  /** The maximum duration of a turn. A transaction that takes longer goes on beside the next one. */
  readonly turn: number;
}

/** How many requests are in progress at once, and how many wait for how long. */
export interface AdmissionLimits {
  readonly requests: Omit<FairQueueLimits, 'errorMessage'>;
  readonly polls: Omit<FairQueueLimits, 'errorMessage'>;
  /** Requests of classes with `serial` (`x-budgets` of the document). */
  readonly serial: Omit<FairQueueLimits, 'errorMessage'>;
  readonly transactions: TransactionTurnLimits;
}

/** Connections that requests leave for polls, jobs and the delivery of events to waiting polls. */
const RESERVED = 2;
/**
 * The number of connections to assume for the embedded database, which has one. More requests in progress would wait for
 * each other inside the database, where accounts do not take turns.
 */
const EMBEDDED_CONNECTIONS = 8;
/** The shares of the requests in progress that one organization, and one account, can have. */
const ORGANIZATION = 0.8;
const ACCOUNT = 0.5;

/**
 * The limits for a number of connections to the database. One account leaves half of them to others, one organization a
 * fifth.
 */
export function computeAdmissionLimits(connections: number): AdmissionLimits {
  const running = Math.max(1, connections - RESERVED);
  return {
    requests: {
      running,
      group: Math.max(1, Math.min(Math.ceil(running * ORGANIZATION), running - 1)),
      lane: Math.ceil(running * ACCOUNT),
      waiting: 256,
      timeouts: { wait: 1_000, target: 10 },
    },
    // All clients of a server that restarts reconnect at once. A poll takes a few milliseconds until it waits for
    // events.
    polls: {
      running: RESERVED,
      lane: 1,
      waiting: 10_000,
      timeouts: { wait: 10_000, target: 10_000 },
    },
    // Slots leave connections to other accounts, but not processors. Requests of one account that wait for each other
    // need no slot meanwhile, and can wait for longer than those that others cause to wait.
    serial: {
      running: Number.POSITIVE_INFINITY,
      lane: 1,
      waiting: 256,
      timeouts: { wait: 10_000, target: 10_000 },
    },
    // A message takes some milliseconds. A wait is as long as one for a lock.
    transactions: { wait: 10_000, turn: 1_000 },
  };
}

/**
 * The limits for the embedded database, which runs one statement at a time: an account has one request in progress, so a statement waits for at
 * most one of each other account.
 */
export function computeEmbeddedAdmissionLimits(): AdmissionLimits {
  const { requests, ...others } = computeAdmissionLimits(EMBEDDED_CONNECTIONS);
  return { requests: { ...requests, lane: 1 }, ...others };
}
