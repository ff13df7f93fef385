import type { FairQueueLimits, QueueTimeouts } from './admission-limits.ts';

/** Milliseconds after which arrivals are compared with ends, if there is an end: two checks of the queue. */
const WINDOW = 40;
/** The weight of one window in a mean. Alone it has few tasks, so that its ratio is mostly chance. */
const WEIGHT = 0.2;
/** The same in the mean of a longer time: what usually ends. */
const LONG_WEIGHT = 0.02;
/** The most arrivals in a window, in ends of a usual one: so a burst within one window is no overload. */
const MOST = 3;
/** Milliseconds for which overload is assumed after the last window that showed it. */
const RECOVERY = 2_000;
/** Milliseconds in which ends are counted whether tasks wait or not. */
const SECOND = 1_000;

/** Milliseconds without a start that are a stall: tasks that waited meanwhile have waited because of it. */
const STALL = 250;

/**
 * It is no backlog while no more tasks wait than end within this many milliseconds, and no more than `FEW`. More than
 * half of those that can wait always are one: where tasks end quickly, there is no room for so many.
 */
const BACKLOG = 100;
/** A few arrivals more than ends say nothing where tasks take long. */
const FEW = 32;

/** The ratio of arrivals to ends beyond which the clients cannot be waiting for responses before they send more. */
const EXCESS = 1.5;

type OverloadLimits = Pick<QueueTimeouts, 'target'> & Pick<FairQueueLimits, 'waiting'>;

/**
 * Distinguishes overload from a burst. In both, tasks wait. In overload many more tasks arrive than end, so a longer
 * queue completes no more tasks: it only completes all of them later. A burst arrives at once, and then its queue
 * becomes shorter. Ends are compared and not starts, because a task can begin, let others run, and wait again.
 */
export class OverloadDetector {
  readonly #limits: OverloadLimits;
  #since = Number.NEGATIVE_INFINITY;
  #arrived = 0;
  #ended = 0;
  /** Tasks that end per millisecond while others wait: a mean of several windows. */
  #rate = 0;
  /**
   * The same in a longer time, or what ended in the busiest second if that is more: where tasks take longer for a moment,
   * as many arrive as usual, and it is no overload.
   */
  #usual = 0;
  /** Tasks that arrive per millisecond, in several windows. */
  #arrivals = 0;
  /** Tasks that have ended in this second. */
  #second = { since: performance.now(), ended: 0 };
  #until = Number.NEGATIVE_INFINITY;
  #lastStart = Number.NEGATIVE_INFINITY;
  /** When the last stall ended. */
  #stallEnded = Number.NEGATIVE_INFINITY;
  #stalled = false;

  constructor(limits: OverloadLimits) {
    this.#limits = limits;
  }

  recordEntry(): void {
    this.#arrived++;
  }

  recordEnd(): void {
    this.#ended++;
    this.#second.ended++;
  }

  noteStart(): void {
    const now = performance.now();
    if (now - this.#lastStart > STALL) this.#stallEnded = now;
    this.#lastStart = now;
    this.#stalled = false;
    if (now - this.#second.since >= SECOND) this.#endSecond(now);
  }

  /** What has ended in a second can end in one. */
  #endSecond(now: number): void {
    const { since, ended } = this.#second;
    this.#usual = Math.max(this.#usual, ended / (now - since));
    this.#second = { since: now, ended: 0 };
  }

  get isOverloaded(): boolean {
    return this.#stalled || this.#until > performance.now();
  }

  /**
   * Whether a task has waited for the maximum time and none has started meanwhile, as while the database does not
   * respond. New tasks need not wait too; those that wait can start quickly when it is over.
   */
  get isStalled(): boolean {
    return this.#stalled;
  }

  /** The number of tasks that end, so that as many can start, within the target waiting time. */
  get room(): number {
    return Math.floor(this.#rate * this.#limits.target);
  }

  /** Whether so many waiting tasks are the beginning of overload, or a large burst. */
  isBacklog(waiting: number): boolean {
    return waiting > Math.max(FEW, Math.min(this.#rate * BACKLOG, this.#limits.waiting / 2));
  }

  /** Called when a task has waited for the maximum time. It says nothing about others if it waited during a stall. */
  noteTimeout(since: number): void {
    if (this.#lastStart <= since) this.#stalled = true;
    else if (since >= this.#stallEnded) this.#until = performance.now() + RECOVERY;
  }

  /**
   * Ends a window. Tasks have waited without a pause since `waitingSince`, and so many wait now. A window in which they
   * began to wait, or a stall ended, says nothing, and what arrived before it says nothing about the windows after it.
   */
  look(waitingSince: number | undefined, waiting: number): void {
    const now = performance.now();
    const span = now - this.#since;
    // Many can end at once, as messages of one transaction do. So a window lasts until something has ended.
    if (span < WINDOW || (this.#ended === 0 && span < STALL)) return;
    if (this.#stallEnded <= this.#since && this.#isSaturated(waitingSince, span)) this.#compare(now, span, waiting);
    else if (!this.isOverloaded) this.#arrivals = this.#base;
    this.#since = now;
    this.#arrived = 0;
    this.#ended = 0;
  }

  /**
   * Whether as many tasks ended in the window as can. In overload few tasks wait, and at moments none: then it is so if
   * no fewer arrived. After the load has ended, ends show only how many arrive.
   */
  #isSaturated(waitingSince: number | undefined, span: number): boolean {
    if (waitingSince !== undefined && waitingSince <= this.#since) return true;
    return this.isOverloaded && this.#arrived > this.#rate * span;
  }

  /** Tasks that can be expected to end per millisecond. */
  get #base(): number {
    return Math.max(this.#rate, this.#usual);
  }

  #compare(now: number, span: number, waiting: number): void {
    // Nothing ends, as while the database blocks all requests. That may end soon; if not, waiting tasks time out.
    if (this.#ended === 0) return;
    const rate = this.#ended / span;
    if (this.#rate === 0) {
      this.#rate = rate;
      this.#usual = Math.max(this.#usual, rate);
      this.#arrivals = this.#base;
    }
    this.#rate += WEIGHT * (rate - this.#rate);
    this.#usual += LONG_WEIGHT * (rate - this.#usual);
    this.#arrivals += WEIGHT * (Math.min(this.#arrived / span, MOST * this.#base) - this.#arrivals);
    const isExcessive = this.#arrivals > EXCESS * this.#base;
    if (isExcessive && (this.isOverloaded || this.isBacklog(waiting))) this.#until = now + RECOVERY;
  }
}
