/**
 * A task that is requested more often than it needs to run. It runs at once, and once more if it was requested meanwhile. It begins at
 * most once in each interval; only a run that left something to do is followed by the next one at once.
 */
export class CoalescedTask {
  readonly #run: () => Promise<boolean>;
  readonly #interval: number;
  #isRequested = false;
  #isRunning = false;
  /** When the next run can begin, by the monotonic clock. */
  #next = 0;

  /** `run` returns whether it left something to do. `interval`: milliseconds. */
  constructor(run: () => Promise<boolean>, interval: number) {
    this.#run = run;
    this.#interval = interval;
  }

  /** Resolves when the task is done, or at once if it runs already. Rejects if a run fails, and then does not run again. */
  async request(): Promise<void> {
    this.#isRequested = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (let isContinued = false; this.#isRequested; ) {
        const early = this.#next - performance.now();
        if (early > 0 && !isContinued) await new Promise((resolve) => setTimeout(resolve, early));
        this.#next = performance.now() + this.#interval;
        this.#isRequested = false;
        isContinued = await this.#run();
        if (isContinued) this.#isRequested = true;
      }
    } finally {
      // Nothing is awaited between the last run and here, so no request falls in between.
      this.#isRunning = false;
    }
  }
}
