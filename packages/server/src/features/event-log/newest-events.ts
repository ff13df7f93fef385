import { LRUCache } from 'lru-cache';
import { SharedReads } from '../../core/shared-reads.ts';

/** The maximum number of organizations that are remembered; each is small. */
const MOST = 10_000;

/** Milliseconds for which what was read is used: an event of another process is found at the latest after these. */
const REUSE = 25;

interface Known {
  id: number;
  until: number;
}

/**
 * The newest events of organizations, for requests whose organization was not read for them. Events of this process are
 * known at once, those of others when they notify it, or after `REUSE` milliseconds: it is read again then.
 */
export class NewestEvents {
  readonly #reads: SharedReads<number, number>;
  readonly #known = new LRUCache<number, Known>({ max: MOST });

  constructor(read: (realm_id: number) => Promise<number>) {
    this.#reads = new SharedReads(read);
  }

  async find(realm_id: number): Promise<number> {
    const began = performance.now();
    const known = this.#known.get(realm_id) ?? { id: 0, until: 0 };
    if (began < known.until) return known.id;
    this.#known.set(realm_id, known);
    const id = await this.#reads.get(realm_id);
    // If there was an event meanwhile, this is no longer what later requests find.
    if (began + REUSE > known.until) Object.assign(known, { id, until: began + REUSE });
    return id;
  }

  /** Has the next request read it: there was an event. */
  readonly expire = (realm_id: number): void => {
    this.#known.delete(realm_id);
  };
}
