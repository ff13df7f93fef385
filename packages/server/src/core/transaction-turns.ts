import { FairQueue } from './fair-queue.ts';

/** Milliseconds. As long as a transaction waits for a lock by default. */
const WAIT = 10_000;

/**
 * Transactions that lock the same row first, such as messages to one stream, take turns before they take a connection. PostgreSQL
 * would let them wait for each other anyway, each with a connection, and with four at once these waits are almost 30 % of its CPU time
 * (`bench/units.ts`). The lock remains what orders them: other processes, and other operations, take it without a turn.
 */
export const createTransactionTurns = (): FairQueue =>
  new FairQueue({
    running: Number.POSITIVE_INFINITY,
    lane: 1,
    // No more than there are requests in progress.
    waiting: Number.POSITIVE_INFINITY,
    timeouts: { wait: WAIT, target: WAIT },
    errorMessage: 'Too many requests wait for the same stream.',
  });
