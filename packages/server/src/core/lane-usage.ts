/** Milliseconds over which running tasks are averaged: those of one window ago count for a third. */
const WINDOW = 1_000;
/** The average below which lanes count as unused: ten milliseconds of the last second. */
const UNUSED = 0.01;

interface Usage {
  running: number;
  /** The exponential moving average of `running`, at the time `at`. */
  average: number;
  at: number;
}

/** How many tasks each lane had running on average over the last second. */
export class LaneUsage {
  readonly #lanes = new Map<string, Usage>();
  readonly #all: Usage = { running: 0, average: 0, at: 0 };
  #sweptAt = 0;

  /** Records that a task of the lane starts (1) or ends (-1). */
  record(lane: string, change: 1 | -1): void {
    const now = performance.now();
    const usage = this.#lanes.get(lane) ?? { running: 0, average: 0, at: now };
    this.#lanes.set(lane, usage);
    for (const one of [usage, this.#all]) {
      one.average = averageAt(one, now);
      one.at = now;
      one.running += change;
    }
    if (now - this.#sweptAt > WINDOW) this.#sweep(now);
  }

  /** Whether the lane had more than `average` tasks running while other lanes had tasks, too. */
  exceeds(lane: string, average: number): boolean {
    const usage = this.#lanes.get(lane);
    if (!usage) return false;
    const now = performance.now();
    const own = averageAt(usage, now);
    return own > average && averageAt(this.#all, now) - own > UNUSED;
  }

  /** The number of lanes that are remembered: those that were used in the last seconds. */
  get size(): number {
    return this.#lanes.size;
  }

  #sweep(now: number): void {
    this.#sweptAt = now;
    for (const [lane, usage] of this.#lanes) {
      if (usage.running === 0 && averageAt(usage, now) < UNUSED) this.#lanes.delete(lane);
    }
  }
}

function averageAt({ running, average, at }: Usage, now: number): number {
  return running + (average - running) * Math.exp((at - now) / WINDOW);
}
