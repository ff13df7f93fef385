import type { FairQueueLimits, Lane } from './admission-limits.ts';
import { createBusyError } from './busy-errors.ts';
import type { ApiError } from './errors.ts';
import { FairQueueSlot } from './fair-queue-slot.ts';
import { countTasks, isAheadOfAll, listLongestLanes, type TaskCounts } from './lane-counts.ts';
import { OverloadDetector } from './overload.ts';

interface Waiting {
  readonly since: number;
  readonly lane: Lane;
  /** Whether it has run before: then it goes first. */
  readonly isResumed: boolean;
  start(): void;
  reject(error: ApiError): void;
}

interface Entry {
  readonly isResumed: boolean;
  readonly onWait?: ((giveUp: () => void) => void) | undefined;
}

/** Tasks that can wait in any overload, so that lanes take turns. */
const LEAST = 8;
/** Milliseconds between two checks for tasks that have waited too long. */
const TICK = 20;
/** Milliseconds for which newer tasks start before a waiting one in a backlog: overload is noticed within this time. */
const OVERTAKING = 200;

/**
 * Runs few tasks at once and queues the others in lanes, one for each account or network. Lanes and groups take turns,
 * so a lane with many tasks delays only its own. When too many tasks wait, one fails: the newest task of the longest
 * lane in the group with the most waiting tasks. When overload begins, the oldest tasks of such lanes fail.
 */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #overload: OverloadDetector;
  /** Tasks that have not begun, in the order in which their lanes take turns. No lane is empty. */
  readonly #lanes = new Map<string, Waiting[]>();
  /** Tasks that have begun and wait to continue. They hold resources already, so they come first. */
  readonly #resumed = new Set<Waiting>();
  /** Tasks that run, by lane and by group. */
  readonly #shares = { lane: new Map<string | undefined, number>(), group: new Map<string | undefined, number>() };
  #running = 0;
  #waiting = 0;
  /** Since when tasks have been waiting without a pause. */
  #waitingSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
    const { timeouts, waiting } = limits;
    this.#overload = new OverloadDetector({ target: timeouts?.target ?? Number.POSITIVE_INFINITY, waiting });
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Whether a new task would have to wait now. */
  get isBusy(): boolean {
    return this.#running >= this.#limits.running;
  }

  /** Whether the maximum number of tasks wait, so that the next one replaces another or fails. */
  get isFull(): boolean {
    return this.#fresh >= this.#room;
  }

  /** Tasks that wait and have not begun. */
  get #fresh(): number {
    return this.#waiting - this.#resumed.size;
  }

  get #room(): number {
    const { waiting } = this.#limits;
    return this.#overload.isOverloaded ? Math.min(waiting, Math.max(LEAST, this.#overload.room)) : waiting;
  }

  /**
   * Whether a new task of the lane would fail at once. It would not if another group, or another lane of its own group,
   * has more tasks: an account within its share does not fail because others send too much.
   */
  isClosedTo(lane: Lane): boolean {
    if (!this.isFull || this.#hasRoom(lane) || !isAheadOfAll(lane, this.#countTasks())) return false;
    this.#overload.recordEntry();
    return true;
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
  async enter(lane: Lane, onWait?: (giveUp: () => void) => void): Promise<FairQueueSlot> {
    this.#overload.recordEntry();
    await this.#start(lane, { isResumed: false, onWait });
    return new FairQueueSlot(lane, {
      end: (of, isDone) => this.#end(of, isDone),
      recordEnd: () => this.#overload.recordEnd(),
      start: (of) => this.#start(of, { isResumed: true }),
    });
  }

  #start(lane: Lane, entry: Entry): Promise<void> {
    if (!this.#hasRoom(lane)) return this.#wait(lane, entry);
    this.#begin(lane, entry);
    return Promise.resolve();
  }

  #begin(lane: Lane, { isResumed }: Pick<Entry, 'isResumed'>): void {
    this.#count(lane, 1);
    if (!isResumed) this.#overload.noteStart();
  }

  #end(lane: Lane, isDone: boolean): void {
    this.#count(lane, -1);
    if (isDone) this.#overload.recordEnd();
    this.#startWaiting();
  }

  #hasRoom(lane: Lane): boolean {
    return !this.isBusy && this.#isWithinShare('lane', lane) && this.#isWithinShare('group', lane);
  }

  /** Whether one more task of the lane, or of its group, can run. */
  #isWithinShare(of: 'lane' | 'group', lane: Lane): boolean {
    return this.#shareOf(of, lane[of]) < (this.#limits[of] ?? Number.POSITIVE_INFINITY);
  }

  #shareOf(kind: 'lane' | 'group', name: string | undefined): number {
    return this.#shares[kind].get(name) ?? 0;
  }

  #count(lane: Lane, change: 1 | -1): void {
    this.#running += change;
    for (const kind of ['lane', 'group'] as const) {
      const share = this.#shareOf(kind, lane[kind]) + change;
      if (share > 0) this.#shares[kind].set(lane[kind], share);
      else this.#shares[kind].delete(lane[kind]);
    }
  }

  #wait(lane: Lane, { isResumed, onWait }: Entry): Promise<void> {
    const now = performance.now();
    this.#waitingSince ??= now;
    if (this.#limits.timeouts) this.#timer ??= setInterval(() => this.#tick(), TICK).unref();
    return new Promise((start, reject) => {
      const task = { since: now, lane, isResumed, start, reject };
      if (isResumed) this.#resumed.add(task);
      else {
        const tasks = this.#lanes.get(lane.lane) ?? [];
        this.#lanes.set(lane.lane, tasks);
        tasks.push(task);
      }
      this.#waiting++;
      onWait?.(() => this.#reject(task));
      if (this.#fresh > this.#room) this.#rejectFrom(listLongestLanes(this.#countTasks()).at(-1), -1);
    });
  }

  /** Starts tasks while there is room. */
  #startWaiting(): void {
    for (const task of this.#resumed) {
      if (this.isBusy) return;
      if (this.#hasRoom(task.lane)) this.#startTask(task);
    }
    for (let next = this.#nextTask(); next; next = this.#nextTask()) {
      const { lane } = next.lane;
      const others = this.#lanes.get(lane) ?? [];
      this.#startTask(next);
      // The lane's next turn comes after those of the other lanes.
      this.#lanes.delete(lane);
      if (others.length > 0) this.#lanes.set(lane, others);
    }
    if (this.#waiting === 0) this.#rest();
  }

  /**
   * The next task: with shares of groups, that of the lane with the fewest running tasks, and among these of the group
   * with the fewest.
   */
  #nextTask(): Waiting | undefined {
    if (this.isBusy) return undefined;
    const candidates: Waiting[] = [];
    for (const [first] of this.#lanes.values()) {
      if (!first || !this.#hasRoom(first.lane)) continue;
      if (this.#limits.group === undefined) return first;
      candidates.push(first);
    }
    if (this.#isNewestFirst(candidates)) candidates.sort((one, other) => other.since - one.since);
    return candidates.reduce<Waiting | undefined>(
      (next, task) => (next && this.#comparedTo(next.lane, task.lane) <= 0 ? next : task),
      undefined,
    );
  }

  /**
   * Whether the newest of the first tasks of the lanes starts, and not the lane that waits longest for its turn. If a
   * backlog is the beginning of overload, the oldest will fail; if not, they have waited somewhat longer.
   */
  #isNewestFirst(candidates: readonly Waiting[]): boolean {
    if (!this.#overload.isBacklog(this.#fresh)) return false;
    const earliest = performance.now() - OVERTAKING;
    return candidates.every(({ since }) => since > earliest);
  }

  #comparedTo(one: Lane, other: Lane): number {
    const lanes = this.#shareOf('lane', one.lane) - this.#shareOf('lane', other.lane);
    if (lanes !== 0 || one.group === other.group) return lanes;
    return this.#shareOf('group', one.group) - this.#shareOf('group', other.group);
  }

  #startTask(task: Waiting): void {
    this.#remove(task);
    this.#begin(task.lane, task);
    task.start();
  }

  /** The timer ends here, and not as soon as none waits: in a busy queue that would be a timer for each task. */
  #tick(): void {
    if (this.#waiting > 0 || this.#overload.isOverloaded) this.#lookForLate();
    else this.#stopTimer();
  }

  #lookForLate(): void {
    this.#overload.look(this.#waitingSince, this.#waiting);
    const { wait } = this.#limits.timeouts ?? { wait: Number.POSITIVE_INFINITY };
    const now = performance.now();
    for (const task of [...this.#resumed, ...[...this.#lanes.values()].flat()]) {
      if (now - task.since <= wait) continue;
      this.#reject(task);
      // One that waited for others of its own lane says nothing about the other lanes.
      if (!task.isResumed && this.#isWithinShare('lane', task.lane)) this.#overload.noteTimeout(task.since);
    }
    // Overload has begun, or tasks start more slowly. The oldest are late already; the newest can still start soon.
    while (!this.#overload.isStalled && this.#fresh > this.#room)
      this.#rejectFrom(listLongestLanes(this.#countTasks()).at(0), 0);
  }

  #countTasks(): TaskCounts {
    return countTasks(this.#lanes.values(), (lane) => this.#shareOf('lane', lane));
  }

  /** Rejects the oldest (0) or newest (-1) waiting task of a lane. */
  #rejectFrom(lane: Lane | undefined, at: 0 | -1): void {
    const task = lane && this.#lanes.get(lane.lane)?.at(at);
    if (task) this.#reject(task);
  }

  #reject(task: Waiting): void {
    if (!this.#remove(task)) return;
    task.reject(createBusyError(this.#limits.errorMessage));
    if (this.#waiting === 0) this.#rest();
  }

  /** Removes a waiting task; returns false if it is no longer waiting. */
  #remove(task: Waiting): boolean {
    const { lane } = task.lane;
    const tasks = this.#lanes.get(lane) ?? [];
    const at = tasks.indexOf(task);
    if (at < 0 && !this.#resumed.delete(task)) return false;
    if (at >= 0) tasks.splice(at, 1);
    if (tasks.length === 0) this.#lanes.delete(lane);
    this.#waiting--;
    return true;
  }

  #rest(): void {
    this.#waitingSince = undefined;
  }

  #stopTimer(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
