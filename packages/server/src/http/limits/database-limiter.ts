import { type Db, tables } from '@parley/db';
import type { IRateLimiterOptions, RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { lazy } from '../../core/lazy.ts';
import { flexible } from './library.ts';
import { type Count, findCount, upsertCount } from './queries.ts';

interface Store {
  readonly db: Db;
  /**
   * The time that all servers share. The library uses the clock of the machine, and servers with different clocks would
   * invalidate each other's counts.
   */
  readonly clock: () => Date;
}

/** The methods that a store of the library has to implement. */
const limiterClass = lazy(() => {
  const { RateLimiterDrizzle, RateLimiterRes: Result } = flexible();
  return class DatabaseLimiter extends RateLimiterDrizzle {
    readonly #store: Store;

    constructor(options: IRateLimiterOptions, store: Store) {
      super({ ...options, storeClient: store.db, schema: tables.rate_limits, clearExpiredByTimeout: false });
      this.#store = store;
    }

    _upsert(key: string, points: number, milliseconds: number, isBlock = false): Promise<Count> {
      const { db, clock } = this.#store;
      const now = clock();
      const count = { key, points, expire: new Date(now.getTime() + milliseconds) };
      return upsertCount(db, count, isBlock ? undefined : now);
    }

    _get(key: string): Promise<Count | undefined> {
      return findCount(this.#store.db, key, this.#store.clock());
    }

    _getRateLimiterRes(_key: string, changed: number, { points, expire }: Count): RateLimiterRes {
      const left = expire.getTime() - this.#store.clock().getTime();
      return new Result(Math.max(0, this.points - points), Math.max(0, left), points, points === changed);
    }
  };
});

/** Counts in a table, together with other processes. */
export const createDatabaseLimiter = (options: IRateLimiterOptions, store: Store): RateLimiterAbstract =>
  new (limiterClass())(options, store);
