import type { Database } from '@parley/db';
import { LRUCache } from 'lru-cache';
import type { Realm, User } from '../../core/context.ts';

/** The maximum number of accounts that a process remembers: about 10 MB. */
const ACCOUNTS = 10_000;
const REALMS = 1_000;

/** An organization, and the account with an email address in it, if they exist. */
export interface FoundCaller {
  readonly realm?: Realm;
  readonly account: User | null;
  /** The version of all organizations and accounts, as they were read; absent: not to be remembered. */
  readonly version?: string | undefined;
}

/**
 * Organizations and accounts that requests have read, for as long as they cannot have changed (docs/adr/0054). Whether the
 * credentials are correct is checked for each request.
 */
export class RememberedCallers {
  readonly #lease: Database['callerLease'];
  readonly #callers = new LRUCache<string, FoundCaller>({ max: ACCOUNTS });
  readonly #realms = new LRUCache<number, Realm>({ max: REALMS });
  /** The version of all that is remembered. */
  #version: string | undefined;

  constructor(lease: Database['callerLease']) {
    this.#lease = lease;
  }

  /** The caller as the database has it now; `read` reads it. */
  async findOrRead(subdomain: string, email: string, read: () => Promise<FoundCaller>): Promise<FoundCaller> {
    const version = this.#lease?.use();
    const key = `${subdomain} ${email.toLowerCase()}`;
    const known = version !== undefined && version === this.#version ? this.#callers.get(key) : undefined;
    if (known) return known;
    const found = await read();
    // What was read in the version that the lease has now, however long that took, is as it was.
    if (found.version !== undefined && found.version === this.#lease?.version)
      this.#remember(key, found, found.version);
    return found;
  }

  #keepOnly(version: string): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#callers.clear();
    this.#realms.clear();
  }

  #remember(key: string, { realm, account }: FoundCaller, version: string): void {
    if (!realm || !account) return;
    this.#keepOnly(version);
    // Accounts share their organization. Events are no change of it.
    const shared = this.#realms.get(realm.id) ?? { ...realm, last_event_id: undefined };
    this.#realms.set(realm.id, shared);
    this.#callers.set(key, { realm: shared, account });
  }
}
