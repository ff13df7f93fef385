import { setTimeout as pause, setImmediate } from 'node:timers/promises';

/** Milliseconds after which a read begins although the one before it has not ended. */
const LONGEST_WAIT = 25;

/**
 * Reads that requests share: each gets the result of one that began after the request asked for it. A read begins when the
 * requests that arrived together have asked, and the one before it has ended. So under load one serves several.
 */
export class SharedReads<K, T> {
  readonly #read: (key: K) => Promise<T>;
  /** Those that have not begun. */
  readonly #next = new Map<K, Promise<T>>();
  /** When the newest of those that began has ended. */
  readonly #ends = new Map<K, Promise<void>>();

  constructor(read: (key: K) => Promise<T>) {
    this.#read = read;
  }

  get(key: K): Promise<T> {
    const next = this.#next.get(key) ?? this.#readNext(key);
    this.#next.set(key, next);
    return next;
  }

  async #readNext(key: K): Promise<T> {
    await setImmediate();
    await Promise.race([this.#ends.get(key), pause(LONGEST_WAIT, undefined, { ref: false })]);
    this.#next.delete(key);
    const read = this.#read(key);
    const end = read.then(
      () => {},
      () => {},
    );
    this.#ends.set(key, end);
    try {
      return await read;
    } finally {
      if (this.#ends.get(key) === end) this.#ends.delete(key);
    }
  }
}
