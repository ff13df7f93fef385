import { requireValue } from './require-value.ts';
import type { TransactionTurns } from './transaction-turns.ts';

/** The maximum number of requests in one transaction: what one of them undoes, and how long it holds its locks, stays small. */
const LARGEST = 8;

type Settled<Result> = readonly PromiseSettledResult<Result>[];

/** Requests that share a turn. */
interface Group<Request, Result> {
  readonly requests: Request[];
  /** In the order of the requests. */
  readonly settled: Promise<Settled<Result>>;
}

/** Requests of one lane that wait for their turn at the same time take one together, in their order (docs/adr/0056). */
export class SharedTurns<Request, Result> {
  readonly #turns: TransactionTurns;
  /** The group of each lane that has room, and whose turn has not come. */
  readonly #open = new Map<string, Group<Request, Result>>();
  #waiting = 0;

  constructor(turns: TransactionTurns) {
    this.#turns = turns;
  }

  /** Groups that have their turn now. */
  get running(): number {
    return this.#turns.running;
  }

  /** Requests whose turn has not come. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Runs a request in a turn of its lane, as one of those that `runAll` gets. Throws what it throws, and SERVICE_UNAVAILABLE. */
  async run(
    lane: string,
    request: Request,
    runAll: (requests: readonly Request[]) => Promise<Settled<Result>>,
  ): Promise<Result> {
    const open = this.#open.get(lane);
    const group = open && open.requests.length < LARGEST ? open : this.#openGroup(lane, runAll);
    const n = group.requests.push(request) - 1;
    this.#waiting++;
    const result = requireValue((await group.settled)[n]);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  #openGroup(lane: string, runAll: (requests: readonly Request[]) => Promise<Settled<Result>>): Group<Request, Result> {
    const requests: Request[] = [];
    let isWaiting = true;
    const close = () => {
      if (!isWaiting) return;
      isWaiting = false;
      this.#waiting -= requests.length;
      if (this.#open.get(lane) === group) this.#open.delete(lane);
    };
    const settled = this.#turns.run(lane, () => {
      close();
      return runAll(requests);
    });
    // A group that has waited for too long never begins, and no request can join it.
    const group = { requests, settled: settled.finally(close) };
    this.#open.set(lane, group);
    return group;
  }
}
