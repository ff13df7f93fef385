import type { FairQueueLimits } from './admission-limits.ts';
import { ApiError } from './errors.ts';

/** Whose task it is. Lanes take turns; a group is several lanes, such as those of one organization. */
export interface Lane {
  readonly lane: string;
  readonly group?: string;
}

interface Waiting {
  readonly since: number;
  /** Whether it has run before: it goes first, and waits as in a burst. */
  readonly isResumed: boolean;
  start(): void;
  reject(error: ApiError): void;
}

interface WaitingLane extends Lane {
  readonly since: number;
  readonly tasks: Waiting[];
}

interface Entry {
  readonly isResumed: boolean;
  readonly onWait?: ((giveUp: () => void) => void) | undefined;
}

/**
 * Seconds after which a client may try again: at most. Clients that were refused at the same moment, as after a restart, get
 * different ones and do not come back at the same moment.
 */
const RETRY_AFTER = 5;
/** Milliseconds between two looks for tasks that have waited too long. */
const TICK = 20;

/**
 * Runs few tasks at once and lets the others wait in lanes, one for each account or network. The lanes take turns, so a lane with
 * many tasks delays its own. When too many tasks wait, the newest task of the longest lane fails.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  /** In the order in which they take turns. No lane is empty. */
  readonly #lanes = new Map<string, WaitingLane>();
  /** Tasks that run, by group and by lane. */
  readonly #shares = new Map<string, number>();
  #running = 0;
  #waiting = 0;
  /** Since when all places are taken and tasks wait. */
  #fullSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether every task would have to wait now. */
  get isBusy(): boolean {
    return this.#running >= this.#limits.running;
  }

  async run<T>(lane: string, task: () => Promise<T>): Promise<T> {
    const slot = await this.enter({ lane });
    try {
      return await task();
    } finally {
      slot.release();
    }
  }

  /**
   * Waits for the lane's turn.
   * @param onWait called if the task has to wait, with a function that cancels the wait.
   * @throws SERVICE_UNAVAILABLE
   */
  async enter(lane: Lane, onWait?: (giveUp: () => void) => void): Promise<Slot> {
    await this.#start(lane, { isResumed: false, onWait });
    return new Slot(lane, {
      end: (of) => this.#end(of),
      start: (of) => this.#start(of, { isResumed: true }),
    });
  }

  #start(lane: Lane, entry: Entry): Promise<void> {
    if (!this.#hasRoom(lane)) return this.#wait(lane, entry);
    this.#count(lane, 1);
    return Promise.resolve();
  }

  #end(lane: Lane): void {
    this.#count(lane, -1);
    this.#startWaiting();
  }

  #hasRoom({ lane, group }: Lane): boolean {
    const { lane: ofLane = Number.POSITIVE_INFINITY, group: ofGroup = Number.POSITIVE_INFINITY } = this.#limits;
    return !this.isBusy && this.#shareOf('lane', lane) < ofLane && this.#shareOf('group', group) < ofGroup;
  }

  #shareOf(kind: 'lane' | 'group', name: string | undefined): number {
    return this.#shares.get(`${kind} ${name}`) ?? 0;
  }

  #count({ lane, group }: Lane, change: 1 | -1): void {
    this.#running += change;
    for (const key of [`lane ${lane}`, `group ${group}`]) {
      const share = (this.#shares.get(key) ?? 0) + change;
      if (share > 0) this.#shares.set(key, share);
      else this.#shares.delete(key);
    }
  }

  #wait(lane: Lane, { isResumed, onWait }: Entry): Promise<void> {
    const now = performance.now();
    if (this.isBusy) this.#fullSince ??= now;
    const waiting = this.#lanes.get(lane.lane) ?? { ...lane, since: now, tasks: [] };
    this.#lanes.set(lane.lane, waiting);
    if (this.#limits.timeouts) this.#timer ??= setInterval(() => this.#expire(), TICK).unref();
    return new Promise((start, reject) => {
      const task = { since: now, isResumed, start, reject };
      waiting.tasks[isResumed ? 'unshift' : 'push'](task);
      this.#waiting++;
      onWait?.(() => this.#refuse(waiting, task));
      if (this.#waiting > this.#limits.waiting) this.#refuseNewest();
    });
  }

  /** Starts what there is room for. */
  #startWaiting(): void {
    for (const [key, waiting] of this.#lanes) {
      if (this.isBusy) return;
      if (!this.#hasRoom(waiting)) continue;
      this.#lanes.delete(key);
      const next = waiting.tasks.shift();
      // Its next turn comes after those of the other lanes.
      if (waiting.tasks.length > 0) this.#lanes.set(key, waiting);
      this.#count(waiting, 1);
      this.#waiting--;
      next?.start();
    }
    this.#fullSince = undefined;
    this.#stopTimer();
  }

  #expire(): void {
    const now = performance.now();
    for (const waiting of this.#lanes.values()) {
      const expired = waiting.tasks.filter((task) => now - task.since > this.#timeoutOf(waiting, task, now));
      for (const task of expired) this.#refuse(waiting, task);
    }
    this.#stopTimer();
  }

  #timeoutOf(lane: WaitingLane, { isResumed }: Waiting, now: number): number {
    const { burst, overload, crowd } = this.#limits.timeouts ?? { burst: 0, overload: 0, crowd: 0 };
    const since = Math.min(lane.since, this.#fullSince ?? now);
    return isResumed || this.#waiting <= crowd || now - since <= burst ? burst : overload;
  }

  #refuseNewest(): void {
    let longest: WaitingLane | undefined;
    for (const lane of this.#lanes.values()) if (lane.tasks.length >= (longest?.tasks.length ?? 0)) longest = lane;
    const newest = longest?.tasks.at(-1);
    if (longest && newest) this.#refuse(longest, newest);
  }

  #refuse(waiting: WaitingLane, task: Waiting): void {
    const at = waiting.tasks.indexOf(task);
    if (at < 0) return;
    waiting.tasks.splice(at, 1);
    if (waiting.tasks.length === 0) this.#lanes.delete(waiting.lane);
    this.#waiting--;
    const seconds = 1 + Math.floor(Math.random() * RETRY_AFTER);
    const message = `${this.#limits.refusal} Try again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`;
    task.reject(new ApiError('SERVICE_UNAVAILABLE', message, { 'retry-after': seconds }));
  }

  #stopTimer(): void {
    if (this.#waiting > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

interface Turns {
  end(lane: Lane): void;
  start(lane: Lane): Promise<void>;
}

/** The place of one task among those that run. */
export class Slot {
  #lane: Lane;
  readonly #turns: Turns;
  #state: 'running' | 'paused' | 'released' = 'running';

  constructor(lane: Lane, turns: Turns) {
    this.#lane = lane;
    this.#turns = turns;
  }

  /** Lets other tasks run while this one waits for something else. */
  pause(): void {
    if (this.#state !== 'running') return;
    this.#state = 'paused';
    this.#turns.end(this.#lane);
  }

  /** Waits for its lane's turn again, before the tasks that have not begun. Throws SERVICE_UNAVAILABLE. */
  async resume(): Promise<void> {
    if (this.#state !== 'paused') return;
    const lane = this.#lane;
    await this.#turns.start(lane);
    // It may have been released meanwhile.
    if ((this.#state as string) === 'released') this.#turns.end(lane);
    else this.#state = 'running';
  }

  /** Counts in another lane from now on, and waits for that lane's turn if it is not the same. Throws SERVICE_UNAVAILABLE. */
  async moveTo(lane: Lane): Promise<void> {
    if (lane.lane === this.#lane.lane || this.#state !== 'running') return;
    this.pause();
    this.#lane = lane;
    await this.resume();
  }

  release(): void {
    const isRunning = this.#state === 'running';
    this.#state = 'released';
    if (isRunning) this.#turns.end(this.#lane);
  }
}
