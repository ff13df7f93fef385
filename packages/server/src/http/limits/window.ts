import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Rule } from '../../config.ts';

/** How one request fared in one window. */
export interface Taken {
  readonly granted: boolean;
  readonly remaining: number;
  /** When the window ends: UNIX time, milliseconds. */
  readonly reset: number;
}

export interface Window {
  readonly rule: Rule;
  take(key: string): Promise<Taken>;
  giveBack(key: string): void;
  /** How the key stands. May be a second behind what other processes do. */
  standing(key: string): Promise<Taken>;
  /** Drops what is over. */
  tidy(): void;
}

/** What this process knows of a key: points it leased and may spend from memory, and what is left for everyone. */
interface Share {
  spare: number;
  left: number;
  ends: number;
}

/** How old the answer to `standing` may be, in milliseconds. */
const STALE = 1000;

/**
 * Counts in blocks: a process leases points from the limiter, which all processes share, and spends them from memory. What is
 * leased counts as spent for the others, so together they never exceed the limit; blocks shrink towards its end.
 */
export function createWindow(limiter: RateLimiterAbstract, rule: Rule, blockOf: (left: number) => number): Window {
  const shares = new Map<string, Share>();
  const leases = new Map<string, Promise<void>>();
  const looked = new Map<string, number>();

  function current(key: string): Share | undefined {
    const share = shares.get(key);
    return share && share.ends > Date.now() ? share : undefined;
  }

  async function lease(key: string): Promise<void> {
    const block = blockOf(current(key)?.left ?? rule.count);
    const { consumedPoints, msBeforeNext } = await limiter.consume(key, block).catch(spent);
    const before = consumedPoints - block;
    const spare = Math.max(0, Math.min(block, rule.count - before));
    shares.set(key, { spare, left: Math.max(0, rule.count - consumedPoints), ends: Date.now() + msBeforeNext });
  }

  /** Requests that come while a lease is under way wait for that one. */
  function leaseOnce(key: string): Promise<void> {
    const underWay = leases.get(key) ?? lease(key).finally(() => leases.delete(key));
    leases.set(key, underWay);
    return underWay;
  }

  async function look(key: string): Promise<void> {
    if (Date.now() - (looked.get(key) ?? 0) < STALE) return;
    looked.set(key, Date.now());
    const found = await limiter.get(key);
    if (!found || found.msBeforeNext <= 0) return;
    const left = Math.max(0, rule.count - found.consumedPoints);
    shares.set(key, { spare: current(key)?.spare ?? 0, left, ends: Date.now() + found.msBeforeNext });
  }

  const taken = (granted: boolean, { spare, left, ends }: Share): Taken => ({ granted, remaining: left + spare, reset: ends });
  const untouched = (): Share => ({ spare: 0, left: rule.count, ends: Date.now() + rule.seconds * 1000 });

  return {
    rule,
    async take(key) {
      for (;;) {
        const share = current(key);
        if (share && share.spare > 0) {
          share.spare--;
          return taken(true, share);
        }
        if (share?.left === 0) return taken(false, share);
        await leaseOnce(key);
      }
    },
    giveBack(key) {
      const share = current(key);
      if (share) share.spare++;
    },
    async standing(key) {
      const known = current(key);
      if (!known || (known.spare === 0 && known.left > 0)) await look(key);
      const share = current(key) ?? untouched();
      return taken(share.spare > 0 || share.left > 0, share);
    },
    tidy() {
      const now = Date.now();
      for (const [key, { ends }] of shares) if (ends <= now) shares.delete(key);
      for (const [key, at] of looked) if (at + STALE <= now) looked.delete(key);
    },
  };
}

/** The limiter refuses by throwing the count. */
function spent(refusal: unknown): RateLimiterRes {
  if (refusal instanceof RateLimiterRes) return refusal;
  throw refusal;
}
