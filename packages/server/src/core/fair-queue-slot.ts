import type { Lane } from './admission-limits.ts';

interface Turns {
  /** Ends a turn. `isDone`: the task needs no other. */
  end(lane: Lane, isDone: boolean): void;
  /** Counts the end of a task whose turn ended before. */
  recordEnd(): void;
  start(lane: Lane): Promise<void>;
}

/** The slot of one running task. */
export class FairQueueSlot {
  #lane: Lane;
  readonly #turns: Turns;
  #state: 'running' | 'paused' | 'released' = 'running';

  constructor(lane: Lane, turns: Turns) {
    this.#lane = lane;
    this.#turns = turns;
  }

  get lane(): Lane {
    return this.#lane;
  }

  /** Lets other tasks run while this one waits for something else. */
  pause(): void {
    if (this.#state !== 'running') return;
    this.#state = 'paused';
    this.#turns.end(this.#lane, false);
  }

  /** Waits for its lane's turn again, before the tasks that have not begun. Throws SERVICE_UNAVAILABLE. */
  async resume(): Promise<void> {
    if (this.#state !== 'paused') return;
    const lane = this.#lane;
    await this.#turns.start(lane);
    // The slot may have been released meanwhile.
    if ((this.#state as string) === 'released') this.#turns.end(lane, false);
    else this.#state = 'running';
  }

  /** Moves to another lane, and waits for that lane's turn if it differs. Throws SERVICE_UNAVAILABLE. */
  async moveTo(lane: Lane): Promise<void> {
    if (lane.lane === this.#lane.lane || this.#state !== 'running') return;
    this.pause();
    this.#lane = lane;
    await this.resume();
  }

  /** The client of the task has left: a running task keeps its slot until it ends, and a paused one gets none again. */
  abandon(): void {
    if (this.#state === 'paused') this.release();
  }

  /** The task has ended. */
  release(): void {
    const state = this.#state;
    this.#state = 'released';
    if (state === 'running') this.#turns.end(this.#lane, true);
    else if (state === 'paused') this.#turns.recordEnd();
  }
}
