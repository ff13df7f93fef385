import type { Server } from '../../core/context.ts';

/** The maximum number of remembered values; each is small. */
const MOST = 10_000;

/** Remembers values until the next event of their organization. */
export function createMemoize(): Server['memoizeUntilNextEvent'] {
  const known = new Map<string, { readonly at: number; readonly value: unknown }>();
  return async <T>(
    { realm }: Parameters<Server['memoizeUntilNextEvent']>[0],
    name: string,
    make: () => Promise<T>,
  ): Promise<T> => {
    const key = `${realm.id} ${name}`;
    const at = realm.last_event_id;
    const found = known.get(key);
    if (found?.at === at) return found.value as T;
    const value = await make();
    // The least recently used value is evicted first.
    known.delete(key);
    known.set(key, { at, value });
    for (const oldest of known.keys()) {
      if (known.size <= MOST) break;
      known.delete(oldest);
    }
    return value;
  };
}
