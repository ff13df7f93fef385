import type { Db } from '@parley/db';
import { LRUCache } from 'lru-cache';
import { SharedReads } from '../../core/shared-reads.ts';
import type { Memoizing } from '../../core/snapshot-cache.ts';
import { findLastEventId } from './queries/positions.ts';

/** The maximum number of remembered values; each is small. */
const MOST = 10_000;

/** Remembers answers for as long as nothing happens in their organization. */
export function createMemoize(db: Db): Memoizing['memoizeUntilNextEvent'] {
  const known = new LRUCache<string, { readonly at: number; readonly value: unknown }>({ max: MOST });
  // Other processes write events too, so what this one knows is not enough.
  const newest = new SharedReads((realm_id: number) => findLastEventId(db, realm_id));
  return async <T>(
    { realm }: Parameters<Memoizing['memoizeUntilNextEvent']>[0],
    name: string,
    make: () => Promise<T>,
  ): Promise<T> => {
    const key = `${realm.id} ${name}`;
    const at = realm.last_event_id ?? (await newest.get(realm.id));
    const found = known.get(key);
    if (found?.at === at) return found.value as T;
    const value = await make();
    known.set(key, { at, value });
    return value;
  };
}
