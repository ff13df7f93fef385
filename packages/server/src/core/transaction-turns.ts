import type { TransactionTurnLimits } from './admission-limits.ts';
import { FairQueue } from './fair-queue.ts';

/**
 * Transactions that lock the same row first, such as messages to one stream, take turns before they take a connection. PostgreSQL
 * would let them wait for each other anyway, each with a connection, and with four at once these waits are a quarter of its CPU time
 * for a message (docs/adr/0049). The lock remains what orders them: other processes, and other operations, take it without a turn. So a
 * turn can end before its transaction does, and a connection that hangs does not hold up the other messages.
 */
export class TransactionTurns {
  readonly #queue: FairQueue;
  readonly #turn: number;

  constructor({ wait, turn }: TransactionTurnLimits) {
    this.#turn = turn;
    this.#queue = new FairQueue({
      running: Number.POSITIVE_INFINITY,
      lane: 1,
      // No more than there are requests in progress.
      waiting: Number.POSITIVE_INFINITY,
      timeouts: { wait, target: wait },
      errorMessage: 'Too many messages are being sent to this stream.',
    });
  }

  /** Transactions that have their turn now. */
  get running(): number {
    return this.#queue.running;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Runs a transaction in the turn of its lane. Throws SERVICE_UNAVAILABLE. */
  async run<T>(lane: string, transaction: () => Promise<T>): Promise<T> {
    const slot = await this.#queue.enter({ lane });
    const timer = setTimeout(() => slot.release(), this.#turn);
    try {
      return await transaction();
    } finally {
      clearTimeout(timer);
      slot.release();
    }
  }
}
