import type { FairQueueSlot } from './fair-queue-slot.ts';
import { requireValue } from './require-value.ts';
import type { TransactionTurns } from './transaction-turns.ts';

/** The most requests in one transaction, and characters in them: what one of them undoes, and how long it holds its locks, stays small. */
const LARGEST = { requests: 20, characters: 65_536 };

type Settled<Result> = readonly PromiseSettledResult<Result>[];

export interface TurnOptions {
  /** The slot of the request among those in progress; it may be paused afterwards. */
  readonly slot?: Pick<FairQueueSlot, 'lane' | 'pause'> | undefined;
  /** The length of its content. A request with more characters than a transaction may have takes a turn of its own. */
  readonly characters?: number;
}

/** Requests that share a turn. */
interface Group<Request, Result> {
  readonly requests: Request[];
  /** The lanes of the slots of the requests: their accounts. */
  readonly accounts: Set<string>;
  characters: number;
  /** Whether a request had no room: no other joins. */
  isFull: boolean;
  /** Resolves when the turn begins. */
  readonly begun: Promise<void>;
  /** In the order of the requests. */
  readonly settled: Promise<Settled<Result>>;
}

/**
 * Requests of one lane that wait for their turn at the same time take one together, in their order (docs/adr/0056). A group takes one
 * connection, so it has one slot, that of its first request; the others run without theirs. One group waits in each lane, and each account
 * has one request without a slot in it. So no more wait without a slot than fit into as many groups as there are slots.
 */
export class SharedTurns<Request, Result> {
  readonly #turns: TransactionTurns;
  /** The group of each lane whose turn has not come. */
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
    options: TurnOptions = {},
  ): Promise<Result> {
    let group = this.#open.get(lane);
    while (group && !hasRoom(group, options)) {
      await this.#waitUntilBegun(group);
      group = this.#open.get(lane);
    }
    group ??= this.#openGroup(lane, runAll);
    this.#waiting++;
    const n = join(group, request, options);
    const result = requireValue((await group.settled)[n]);
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }

  /** Throws what the group throws if it never begins. */
  async #waitUntilBegun({ begun, settled }: Group<Request, Result>): Promise<void> {
    this.#waiting++;
    try {
      await Promise.race([begun, settled]);
    } finally {
      this.#waiting--;
    }
  }

  #openGroup(lane: string, runAll: (requests: readonly Request[]) => Promise<Settled<Result>>): Group<Request, Result> {
    const requests: Request[] = [];
    let isWaiting = true;
    const close = () => {
      if (!isWaiting) return;
      isWaiting = false;
      this.#waiting -= requests.length;
      this.#open.delete(lane);
    };
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const settled = this.#turns.run(lane, () => {
      close();
      begin();
      return runAll(requests);
    });
    // A group that has waited for too long never begins, and no request can join it.
    const group = {
      requests,
      accounts: new Set<string>(),
      characters: 0,
      isFull: false,
      begun,
      settled: settled.finally(close),
    };
    this.#open.set(lane, group);
    return group;
  }
}

/** A request that has no room closes the group: those after it do not overtake it. */
function hasRoom(group: Group<unknown, unknown>, { characters = 0 }: TurnOptions): boolean {
  const { requests } = group;
  group.isFull ||= requests.length === LARGEST.requests || group.characters + characters > LARGEST.characters;
  return !group.isFull;
}

/** Returns the index of the request in the group. */
function join<Request>(
  group: Group<Request, unknown>,
  request: Request,
  { slot, characters = 0 }: TurnOptions,
): number {
  const n = group.requests.push(request) - 1;
  group.characters += characters;
  if (slot) {
    const { lane } = slot.lane;
    if (n > 0 && !group.accounts.has(lane)) slot.pause();
    group.accounts.add(lane);
  }
  return n;
}
