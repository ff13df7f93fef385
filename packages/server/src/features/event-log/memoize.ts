import { LRUCache } from 'lru-cache';
import type { Memoizing } from '../../core/snapshot-cache.ts';
import type { NewestEvents } from './newest-events.ts';

/** The maximum number of remembered values; each is small. */
const MOST = 10_000;

/** Remembers answers for as long as nothing happens in their organization. */
export function createMemoize(newest: Pick<NewestEvents, 'find'>): Memoizing['memoizeUntilNextEvent'] {
  const known = new LRUCache<string, { readonly at: number; readonly value: unknown }>({ max: MOST });
  return async <T>(
    { realm }: Parameters<Memoizing['memoizeUntilNextEvent']>[0],
    name: string,
    make: () => Promise<T>,
  ): Promise<T> => {
    const key = `${realm.id} ${name}`;
    const at = realm.last_event_id ?? (await newest.find(realm.id));
    const found = known.get(key);
    if (found?.at === at) return found.value as T;
    const value = await make();
    known.set(key, { at, value });
    return value;
  };
}
