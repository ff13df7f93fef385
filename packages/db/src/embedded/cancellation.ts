/** Indices of the 32-bit words. */
const LOCK = 0;
const RUNNING = 1;
/** Index of the 64-bit word. */
const DEADLINE = 1;
const BYTES = 16;
const NO_DEADLINE = 0n;

/**
 * Whether a request runs, and its deadline, in memory that both threads share. The thread of the embedded database
 * fires no timers while a statement runs, so the server's thread watches the deadline.
 */
export class Cancellation {
  readonly #words: Int32Array;
  readonly #times: BigInt64Array;

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.#words = new Int32Array(buffer);
    this.#times = new BigInt64Array(buffer);
  }

  /** Called by the database's thread before a request, with its timeout; 0 for none. */
  begin(milliseconds: number): void {
    Atomics.store(this.#times, DEADLINE, milliseconds > 0 ? now() + BigInt(milliseconds) * 1_000_000n : NO_DEADLINE);
    Atomics.store(this.#words, RUNNING, 1);
  }

  /**
   * Called by the database's thread after a request. `clear` withdraws a cancellation that came too late, so that it
   * does not hit the next request.
   */
  end(clear: () => void): void {
    this.#exclusively(() => {
      clear();
      Atomics.store(this.#times, DEADLINE, NO_DEADLINE);
      Atomics.store(this.#words, RUNNING, 0);
    });
  }

  /** Called by the server's thread: whether the running request is past its deadline. */
  isOverdue(): boolean {
    const deadline = Atomics.load(this.#times, DEADLINE);
    return deadline !== NO_DEADLINE && now() >= deadline;
  }

  /**
   * Called by the server's thread: calls `cancel` if the running request is overdue. The request cannot end meanwhile.
   */
  cancelOverdue(cancel: () => void): void {
    this.#exclusively(() => this.isOverdue() && cancel());
  }

  /** Called by the server's thread: calls `cancel` if a request runs. The request cannot end meanwhile. */
  cancelRunning(cancel: () => void): void {
    this.#exclusively(() => Atomics.load(this.#words, RUNNING) === 1 && cancel());
  }

  #exclusively(work: () => void): void {
    while (!this.#lock());
    work();
    this.#unlock();
  }

  #lock(): boolean {
    return Atomics.compareExchange(this.#words, LOCK, 0, 1) === 0;
  }

  #unlock(): void {
    Atomics.store(this.#words, LOCK, 0);
  }
}

/** Nanoseconds since the same moment in all threads. */
const now = () => process.hrtime.bigint();
