/** Indices of the 32-bit words. */
const LOCK = 0;
const RUNNING = 1;
/** Index of the 64-bit word. */
const DEADLINE = 1;
const BYTES = 16;
const NO_DEADLINE = 0n;

/**
 * Whether a request runs, and until when it may, in memory that both threads see. The thread of the embedded database notices
 * no timer while a statement runs, so the server's thread watches the time for it.
 */
export class Cancellation {
  readonly #words: Int32Array;
  readonly #times: BigInt64Array;

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.#words = new Int32Array(buffer);
    this.#times = new BigInt64Array(buffer);
  }

  /** The database's thread, before a request, which may run so long; 0 for any time. */
  begin(milliseconds: number): void {
    Atomics.store(this.#times, DEADLINE, milliseconds > 0 ? now() + BigInt(milliseconds) * 1_000_000n : NO_DEADLINE);
    Atomics.store(this.#words, RUNNING, 1);
  }

  /** The database's thread, after a request. `clear` withdraws a cancellation that came too late: the next request must not get it. */
  end(clear: () => void): void {
    this.#exclusively(() => {
      clear();
      Atomics.store(this.#times, DEADLINE, NO_DEADLINE);
      Atomics.store(this.#words, RUNNING, 0);
    });
  }

  /** The server's thread: whether the request that runs is past its deadline. */
  isOverdue(): boolean {
    const deadline = Atomics.load(this.#times, DEADLINE);
    return deadline !== NO_DEADLINE && now() >= deadline;
  }

  /** The server's thread: calls `cancel` if the request that runs is overdue. It cannot end meanwhile. */
  cancelOverdue(cancel: () => void): void {
    this.#exclusively(() => this.isOverdue() && cancel());
  }

  /** The server's thread: calls `cancel` if a request runs. It cannot end meanwhile. */
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

/** Nanoseconds; all threads count from the same moment. */
const now = () => process.hrtime.bigint();
