/** Whose task it is. Lanes take turns; a group is several lanes, such as those of one organization. */
export interface Lane {
  readonly lane: string;
  readonly group?: string;
}

export interface FairQueueLimits {
  /** Tasks that run at once: of all lanes, of the lanes of one group, and of one lane. The latter two are unlimited by default. */
  readonly running: number;
  readonly group?: number;
  readonly lane?: number;
  /** Tasks that wait, of all lanes together. */
  readonly waiting: number;
  /** Undefined: a task waits as long as it takes. */
  readonly timeouts?: QueueTimeouts;
  /** Why a task fails for which there is no room or no time: a sentence. */
  readonly errorMessage: string;
}

/** Milliseconds. */
export interface QueueTimeouts {
  /** How long a task waits at most. */
  readonly wait: number;
  /** In overload (`OverloadDetector`), no more tasks wait than are started within this time. */
  readonly target: number;
}

/** How many requests are in work at once, and how many wait for how long. */
export interface AdmissionLimits {
  readonly requests: Omit<FairQueueLimits, 'errorMessage'>;
  readonly polls: Omit<FairQueueLimits, 'errorMessage'>;
}

/** Connections that requests leave to polls, jobs and what waiting polls are given. */
const RESERVED = 2;
/**
 * What stands for connections on the embedded database, which has one: more requests in work would wait for one another there, where
 * accounts have no turns.
 */
export const EMBEDDED_CONNECTIONS = 6;
/** Parts of the requests in work that one organization, and one account, can have. */
const ORGANIZATION = 0.8;
const ACCOUNT = 0.5;

/** The limits for so many connections to the database. One account leaves half of them to others, one organization a fifth. */
export function computeAdmissionLimits(connections: number): AdmissionLimits {
  const running = Math.max(1, connections - RESERVED);
  return {
    requests: {
      running,
      group: Math.max(1, Math.min(Math.ceil(running * ORGANIZATION), running - 1)),
      lane: Math.ceil(running * ACCOUNT),
      waiting: 256,
      timeouts: { wait: 1_000, target: 50 },
    },
    // All clients of a server that restarts ask again at once. A poll takes a few milliseconds until it waits for events.
    polls: {
      running: RESERVED,
      lane: 1,
      waiting: 10_000,
      timeouts: { wait: 10_000, target: 10_000 },
    },
  };
}
