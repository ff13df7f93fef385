import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Rule } from '../../config/index.ts';
import { flexible } from './library.ts';

/** The result of one request in one window. */
export interface WindowCount {
  readonly granted: boolean;
  readonly remaining: number;
  /** When the window ends: UNIX time in milliseconds. */
  readonly reset: number;
}

export interface Window {
  readonly rule: Rule;
  take(key: string): Promise<WindowCount>;
  release(key: string): void;
  /** Deletes expired windows. */
  tidy(): void;
}

/**
 * What this process knows of a key: points that it has leased and can spend from memory, and the points left for all
 * processes.
 */
interface Share {
  spare: number;
  left: number;
  ends: number;
}

/**
 * Counts in blocks: a process leases points from the limiter, which all processes share, and spends them from memory.
 * Leased points count as spent for the others, so together they never exceed the limit; `blockOf` shrinks towards the
 * end.
 */
export class LeasedWindow implements Window {
  readonly rule: Rule;
  readonly #limiter: RateLimiterAbstract;
  readonly #blockOf: (left: number) => number;
  readonly #clock: () => Date;
  readonly #shares = new Map<string, Share>();
  readonly #leases = new Map<string, Promise<void>>();

  constructor(limiter: RateLimiterAbstract, rule: Rule, blockOf: (left: number) => number, clock: () => Date) {
    this.rule = rule;
    this.#limiter = limiter;
    this.#blockOf = blockOf;
    this.#clock = clock;
  }

  async take(key: string): Promise<WindowCount> {
    for (;;) {
      const share = this.#current(key);
      if (share && share.spare > 0) {
        share.spare--;
        return taken(true, share);
      }
      if (share?.left === 0) return taken(false, share);
      await this.#leaseOnce(key);
    }
  }

  release(key: string): void {
    const share = this.#current(key);
    // A request can be released in a later window than the one that counted it.
    if (share && share.spare + share.left < this.rule.count) share.spare++;
  }

  tidy(): void {
    const now = this.#clock().getTime();
    for (const [key, { ends }] of this.#shares) if (ends <= now) this.#shares.delete(key);
  }

  /** A window that ends later than its length allows is invalid: the clock was set back. */
  #current(key: string): Share | undefined {
    const share = this.#shares.get(key);
    const left = (share?.ends ?? 0) - this.#clock().getTime();
    return left > 0 && left <= this.rule.seconds * 1000 ? share : undefined;
  }

  /** Requests that arrive during a lease wait for it. */
  #leaseOnce(key: string): Promise<void> {
    const underWay = this.#leases.get(key) ?? this.#lease(key).finally(() => this.#leases.delete(key));
    this.#leases.set(key, underWay);
    return underWay;
  }

  async #lease(key: string): Promise<void> {
    const block = this.#blockOf(this.#current(key)?.left ?? this.rule.count);
    const { consumedPoints, msBeforeNext } = await this.#consume(key, block);
    const before = consumedPoints - block;
    const spare = Math.max(0, Math.min(block, this.rule.count - before));
    const left = Math.max(0, this.rule.count - consumedPoints);
    this.#shares.set(key, { spare, left, ends: this.#clock().getTime() + msBeforeNext });
  }

  async #consume(key: string, block: number): Promise<RateLimiterRes> {
    const found = await this.#limiter.consume(key, block).catch(spent);
    if (found.msBeforeNext <= this.rule.seconds * 1000) return found;
    await this.#limiter.delete(key);
    return this.#limiter.consume(key, block).catch(spent);
  }
}

function taken(granted: boolean, { spare, left, ends }: Share): WindowCount {
  return { granted, remaining: left + spare, reset: ends };
}

/** The limiter throws the count when the limit is exceeded. */
function spent(rejection: unknown): RateLimiterRes {
  if (rejection instanceof flexible().RateLimiterRes) return rejection;
  throw rejection;
}
