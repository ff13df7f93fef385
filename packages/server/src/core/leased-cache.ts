import type { Database } from '@parley/db';
import { LRUCache } from 'lru-cache';

/** What was read of organizations and accounts, for as long as they cannot have changed (docs/adr/0054). */
export class LeasedCache<K extends string | number, V extends object> {
  readonly #lease: Database['callerLease'];
  readonly #max: number;
  /** Created with the first value: it has its room for the maximum at once, and short commands need none. */
  #values: LRUCache<K, V> | undefined;
  /** The version of all values. */
  #version: string | undefined;

  constructor(lease: Database['callerLease'], max: number) {
    this.#lease = lease;
    this.#max = max;
  }

  /** Whether values can be current now. */
  get isLeased(): boolean {
    return this.#lease?.version !== undefined;
  }

  /** The value as the database has it now, if it is known. */
  get(key: K): V | undefined {
    return this.#version !== undefined && this.#version === this.#lease?.version ? this.#values?.get(key) : undefined;
  }

  /** Waits while the lease is being renewed, if there is anything that it would make current. */
  async settle(): Promise<void> {
    if (this.#version !== undefined) await this.#lease?.settle();
  }

  /**
   * Remembers what a statement read that returned this version with it. If the lease has the same one now, it is as it
   * was, however long that took.
   */
  set(key: K, value: V, version: string): void {
    if (version !== this.#lease?.version) return;
    this.#values ??= new LRUCache({ max: this.#max });
    if (version !== this.#version) this.#values.clear();
    this.#version = version;
    this.#values.set(key, value);
  }
}
