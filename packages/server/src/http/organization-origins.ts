import { LRUCache } from 'lru-cache';
import type { Realm } from '../core/context.ts';

/** The maximum number of organizations that a process remembers. */
const CAPACITY = 10_000;
/** Milliseconds after which the server reads an organization's origins again. */
const FRESH = 60_000;

interface Entry {
  readonly origins: readonly string[];
  readonly realm_id: number | undefined;
  since: number;
}

/**
 * The origins that organizations allow (`allowed_origins`), by subdomain, as requests have last read them. A preflight
 * request has no credentials, so it reads nothing else of its organization. A change is visible here when its
 * transaction ends, and in the other processes when they are notified.
 */
export class OrganizationOrigins {
  readonly #subdomains = new Map<number, string>();
  readonly #entries = new LRUCache<string, Entry>({
    max: CAPACITY,
    dispose: ({ realm_id }) => {
      if (realm_id !== undefined) this.#subdomains.delete(realm_id);
    },
  });

  /** Undefined where the database has to be queried. */
  find(subdomain: string): readonly string[] | undefined {
    const entry = this.#entries.get(subdomain);
    return entry && performance.now() - entry.since <= FRESH ? entry.origins : undefined;
  }

  /** The last known origins, even if the organization may have changed since. */
  findLast(subdomain: string): readonly string[] | undefined {
    return this.#entries.get(subdomain)?.origins;
  }

  /** Without `realm` no organization has the subdomain. */
  remember(subdomain: string, realm: Pick<Realm, 'id' | 'settings'> | undefined): void {
    const origins = realm?.settings.allowed_origins ?? [];
    this.#entries.set(subdomain, { origins, realm_id: realm?.id, since: performance.now() });
    if (realm) this.#subdomains.set(realm.id, subdomain);
  }

  /** Something has changed in the organization: also called for each message. */
  readonly expire = (realm_id: number): void => {
    const subdomain = this.#subdomains.get(realm_id);
    const entry = subdomain === undefined ? undefined : this.#entries.get(subdomain);
    if (entry) entry.since = Number.NEGATIVE_INFINITY;
  };
}
