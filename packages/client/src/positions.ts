/** How far a program is: the queue, and the last event that it handled. It can be stored as JSON. */
export interface QueuePosition {
  readonly queue_id: string;
  readonly last_event_id: number;
  /** The parameters of the queue, as JSON. A program that asks for other events gets another queue. */
  readonly registered_with: string;
}

/** Keeps the position of one program. Two programs with one store take events from one another. */
export interface PositionStore {
  /** The position that was saved last; undefined if there is none. */
  load(): QueuePosition | undefined | Promise<QueuePosition | undefined>;
  /** Keeps a position in place of the one before. When this has resolved, the position must survive a crash. */
  save(position: QueuePosition): unknown;
}

/**
 * Keeps the position in a browser, in `localStorage` or `sessionStorage`. Pages that are open at the same time need a store each: with
 * `sessionStorage` each tab has its own.
 *
 * @param key - The name of the item.
 * @param storage - Absent: `localStorage`.
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
