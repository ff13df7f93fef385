import type { QueueTimeouts } from './admission-limits.ts';

/** Milliseconds after which arrivals are compared with starts. */
const WINDOW = 50;
/** Milliseconds for which overload is assumed after the last window that showed it. */
const CALM = 2_000;

/** Arrivals for each start that are too many to be those of clients that wait for a response before they send more. */
const EXCESS = 1.5;

/**
 * Tells overload from a burst. In both, tasks wait. In overload many more tasks come than are started, so a longer queue serves no
 * more tasks, it only serves all of them late. A burst comes at once, and its queue gets shorter.
 */
export class OverloadDetector {
  readonly #limits: Pick<QueueTimeouts, 'target'>;
  #since = Number.NEGATIVE_INFINITY;
  #arrived = 0;
  #started = 0;
  /** Tasks that are started in a millisecond while others wait. */
  #rate = 0;
  #until = Number.NEGATIVE_INFINITY;

  constructor(limits: Pick<QueueTimeouts, 'target'>) {
    this.#limits = limits;
  }

  noteArrival(): void {
    this.#arrived++;
  }

  noteStart(): void {
    this.#started++;
  }

  get isOverloaded(): boolean {
    return this.#until > performance.now();
  }

  /** Tasks that are started within the time that a task should wait at most. */
  get room(): number {
    return Math.floor(this.#rate * this.#limits.target);
  }

  /** A task has waited for as long as a task may. */
  noteTimeout(): void {
    this.#until = performance.now() + CALM;
  }

  /** Ends a window. Tasks have waited without a pause since `waitingSince`, and so many wait now. */
  look(waitingSince: number | undefined, waiting: number): void {
    const now = performance.now();
    const span = now - this.#since;
    if (span < WINDOW) return;
    if (waitingSince !== undefined && waitingSince <= this.#since) this.#compare(now, span, waiting);
    this.#since = now;
    this.#arrived = 0;
    this.#started = 0;
  }

  #compare(now: number, span: number, waiting: number): void {
    // Nothing goes on, as while the database makes all wait: it may go on soon, and what waits too long says so.
    if (this.#started === 0) return;
    const rate = this.#started / span;
    // A window has few starts: the mean of several says more.
    this.#rate = this.#rate === 0 ? rate : 0.8 * this.#rate + 0.2 * rate;
    const isExcessive = this.#arrived > EXCESS * this.#started;
    if (isExcessive && (this.isOverloaded || waiting > 2 * this.room)) this.#until = now + CALM;
  }
}
