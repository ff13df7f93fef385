import type { FairQueueLimits, Lane } from './admission-limits.ts';
import { LaneUsage } from './lane-usage.ts';

/** The running tasks of a fair queue, by lane and by group. */
export class LaneShares {
  readonly #limits: FairQueueLimits;
  readonly #counts = new Map<string, number>();
  readonly #usage = new LaneUsage();
  #running = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  of(kind: 'lane' | 'group', name: string | undefined): number {
    return this.#counts.get(`${kind} ${name}`) ?? 0;
  }

  /** Counts a task that starts (1) or ends (-1). */
  count({ lane, group }: Lane, change: 1 | -1): void {
    this.#running += change;
    if (this.#limits.laneAverage !== undefined) this.#usage.record(lane, change);
    for (const key of [`lane ${lane}`, `group ${group}`]) {
      const count = (this.#counts.get(key) ?? 0) + change;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
  }

  /** Whether a task that has run before can go on: what it holds must not wait for the average of its lane. */
  hasRoom({ lane, group }: Lane): boolean {
    const {
      running,
      lane: ofLane = Number.POSITIVE_INFINITY,
      group: ofGroup = Number.POSITIVE_INFINITY,
    } = this.#limits;
    return this.#running < running && this.of('lane', lane) < ofLane && this.of('group', group) < ofGroup;
  }

  /** Whether a new task can start. */
  canStart(lane: Lane): boolean {
    return this.hasRoom(lane) && (this.of('lane', lane.lane) === 0 || !this.#isAboveAverage(lane));
  }

  #isAboveAverage({ lane }: Lane): boolean {
    const { laneAverage } = this.#limits;
    return laneAverage !== undefined && this.#usage.exceeds(lane, laneAverage);
  }
}
