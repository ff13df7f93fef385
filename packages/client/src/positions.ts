/** The position of a program: the queue, and the last event that it handled. It can be stored as JSON. */
export interface QueuePosition {
  readonly queue_id: string;
  readonly last_event_id: number;
  /** The parameters of the queue, as JSON. A program with other parameters gets another queue. */
  readonly registered_with: string;
}

/** Stores the position of one program. Two programs with one store take events from each other. */
export interface PositionStore {
  /** Returns the position that was saved last; undefined if there is none. */
  load(): QueuePosition | undefined | Promise<QueuePosition | undefined>;
  /** Replaces the stored position. When the promise resolves, the position must survive a crash. */
  save(position: QueuePosition): unknown;
}

/**
 * Stores the position in a browser, in `localStorage` or `sessionStorage`. Pages that are open at the same time need
 * separate stores: with `sessionStorage` each tab has its own.
 *
 * @param key - The name of the item.
 * @param storage - Default: `localStorage`.
 * @since Feature level 237.
 * @see `/docs/guides/sdk/#programs-that-restart` on your server
 * @example
 * const events = client.events({ types: ['message'], resume: createStoragePositionStore('chat', sessionStorage) });
 */
export function createStoragePositionStore(
  key: string,
  storage: Pick<Storage, 'getItem' | 'setItem'> = localStorage,
): PositionStore {
  return {
    load: () => JSON.parse(storage.getItem(key) ?? 'null') ?? undefined,
    save: (position) => storage.setItem(key, JSON.stringify(position)),
  };
}
