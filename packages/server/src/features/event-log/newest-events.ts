import { LRUCache } from 'lru-cache';
import { SharedReads } from '../../core/shared-reads.ts';

/** The maximum number of organizations that are remembered; each is small. */
const MOST = 10_000;

/** Milliseconds over which requests are counted, and for which what was read can be used again. */
const PERIOD = 25;
/** The requests of an organization in a period that each get what was read after they began. */
const READS = 10;

interface Known {
  readonly id: number;
  readonly until: number;
}

interface Requests {
  readonly since: number;
  count: number;
}

/**
 * The newest events of organizations, for requests whose organization was not read for them. It is read for them; requests at
 * the same time share a statement. With more than `READS` requests in a period, the others use what was read before,
 * until this process has an event, another one notifies it of one, or for `PERIOD` milliseconds.
 */
export class NewestEvents {
  readonly #reads: SharedReads<number, number>;
  /** What was read since the last event. */
  readonly #known = new LRUCache<number, Known>({ max: MOST });
  readonly #requests = new LRUCache<number, Requests>({ max: MOST });
  /** The number of events that this process has noticed. */
  #expired = 0;

  constructor(read: (realm_id: number) => Promise<number>) {
    this.#reads = new SharedReads(read);
  }

  async find(realm_id: number): Promise<number> {
    const now = performance.now();
    const known = this.#known.get(realm_id);
    if (this.#count(realm_id, now) > READS && known && now < known.until) return known.id;
    const expired = this.#expired;
    const id = await this.#reads.get(realm_id);
    // After an event, later requests need another read.
    if (expired === this.#expired) this.#known.set(realm_id, { id, until: now + PERIOD });
    return id;
  }

  /** Has the next request read it: there was an event. */
  readonly expire = (realm_id: number): void => {
    this.#expired++;
    this.#known.delete(realm_id);
  };

  /** The requests of an organization in the present period. */
  #count(realm_id: number, now: number): number {
    const recent = this.#requests.get(realm_id);
    const requests = recent && now - recent.since < PERIOD ? recent : { since: now, count: 0 };
    if (requests !== recent) this.#requests.set(realm_id, requests);
    return ++requests.count;
  }
}
