import { FairQueue } from './fair-queue.ts';
import { bounds } from './limits.ts';

/**
 * Transactions that lock the same row first, such as messages to one stream, take turns before they take a connection. PostgreSQL
 * would let them wait for each other anyway, each with a connection, and with four at once these waits are a quarter of its CPU time
 * (docs/adr/0049). The lock remains what orders them: other processes, and other operations, take it without a turn.
 *
 * @param wait the maximum wait for a turn in milliseconds; then a request fails with SERVICE_UNAVAILABLE
 */
export const createTransactionTurns = (wait: number = bounds.send_turn): FairQueue =>
  new FairQueue({
    running: Number.POSITIVE_INFINITY,
    lane: 1,
    // No more than there are requests in progress.
    waiting: Number.POSITIVE_INFINITY,
    timeouts: { wait, target: wait },
    errorMessage: 'Too many messages are being sent to this stream.',
  });
