import { refuse } from './errors.ts';

interface Waiting {
  start(): void;
  reject(error: unknown): void;
}

interface Bounds {
  /** Tasks that run at once. */
  readonly running: number;
  /** Tasks that wait, of all lanes together. */
  readonly waiting: number;
  /** What a client reads that is refused. */
  readonly refusal: string;
}

/** Seconds after which a refused client may try again. */
const RETRY_AFTER = 5;

/**
 * Runs few tasks at once and lets the others wait in lanes, one for each account or network. The lanes take turns, so a lane with
 * many tasks delays its own. When too many tasks wait, the newest task of the longest lane is refused.
 */
export class FairQueue {
  readonly #bounds: Bounds;
  /** In the order in which they take turns. No lane is empty. */
  readonly #lanes = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Whether a task would have to wait now. */
  get isBusy(): boolean {
    return this.#running >= this.#bounds.running;
  }

  async run<T>(lane: string, task: () => Promise<T>): Promise<T> {
    if (this.isBusy) await this.#wait(lane);
    else this.#running++;
    try {
      return await task();
    } finally {
      this.#startNext();
    }
  }

  #wait(lane: string): Promise<void> {
    return new Promise((start, reject) => {
      const tasks = this.#lanes.get(lane) ?? [];
      this.#lanes.set(lane, tasks);
      tasks.push({ start, reject });
      this.#waiting++;
      if (this.#waiting > this.#bounds.waiting) this.#refuseOne();
    });
  }

  /** The task takes the place of the one that ended. */
  #startNext(): void {
    const [turn] = this.#lanes;
    if (!turn) {
      this.#running--;
      return;
    }
    const [lane, tasks] = turn;
    const next = tasks.shift();
    this.#waiting--;
    this.#lanes.delete(lane);
    if (tasks.length > 0) this.#lanes.set(lane, tasks);
    next?.start();
  }

  #refuseOne(): void {
    let longest: [string, Waiting[]] | undefined;
    for (const lane of this.#lanes) if (lane[1].length >= (longest?.[1].length ?? 0)) longest = lane;
    if (!longest) return;
    const [lane, tasks] = longest;
    const refused = tasks.pop();
    this.#waiting--;
    if (tasks.length === 0) this.#lanes.delete(lane);
    try {
      refuse('SERVICE_UNAVAILABLE', this.#bounds.refusal, { 'retry-after': RETRY_AFTER });
    } catch (error) {
      refused?.reject(error);
    }
  }
}
