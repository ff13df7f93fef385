import type { Db } from '@parley/db';
import type { Event } from './contract.ts';

/** The transaction of a request, and its organization. */
export interface SnapshotReader {
  readonly db: Db;
  readonly realm: { readonly id: number };
}

/** Identifies a cached value that many registrations share. */
export interface SnapshotKey {
  /** All that the value depends on besides the organization. */
  readonly name: string;
  /** The types of events that can change the value. */
  readonly invalidatedBy: readonly Event['type'][];
}

/** A cache of values that many registrations share. */
export interface SnapshotCache {
  /** The newest event of the organization that the caller's transaction sees. The transaction must see one moment. */
  findSnapshot(ctx: SnapshotReader): Promise<number>;
  /** Has `findSnapshot` know the newest event without a query, in a transaction that sees one moment. */
  rememberSnapshot(ctx: Pick<SnapshotReader, 'db'>, last_event_id: number): void;
  /** The cached value if it is current for the caller's snapshot, else what `make` returns. The transaction must be repeatable read. */
  getOrCompute<T extends { readonly bytes: number }>(
    ctx: SnapshotReader,
    share: SnapshotKey,
    make: () => Promise<T>,
  ): Promise<T>;
}

export interface SnapshotCaching {
  readonly snapshotCache: SnapshotCache;
}

export interface Memoizing {
  /**
   * What `make` returns, or returned before if there was no event in the organization since: for small values of which every
   * change comes with an event. With more than ten requests of the organization in 25 ms, an event of another process may be
   * noticed that long after its commit.
   */
  readonly memoizeUntilNextEvent: <T>(
    ctx: { readonly realm: { readonly id: number; readonly last_event_id: number | undefined } },
    name: string,
    make: () => Promise<T>,
  ) => Promise<T>;
}
