import type { Database } from '@parley/db';
import type { Realm, User } from '../../core/context.ts';
import { LeasedCache } from '../../core/leased-cache.ts';

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
  readonly #callers: LeasedCache<string, FoundCaller>;
  readonly #realms: LeasedCache<number, Realm>;

  constructor(lease: Database['callerLease']) {
    this.#lease = lease;
    this.#callers = new LeasedCache(lease, ACCOUNTS);
    this.#realms = new LeasedCache(lease, REALMS);
  }

  /** The caller as the database has it now; `read` reads it. */
  async findOrRead(subdomain: string, email: string, read: () => Promise<FoundCaller>): Promise<FoundCaller> {
    this.#lease?.use();
    const key = `${subdomain} ${email.toLowerCase()}`;
    const known = this.#callers.get(key) ?? (await this.#settle(key));
    if (known) return known;
    const found = await read();
    if (found.version !== undefined) this.#remember(key, found, found.version);
    return found;
  }

  async #settle(key: string): Promise<FoundCaller | undefined> {
    await this.#callers.settle();
    return this.#callers.get(key);
  }

  #remember(key: string, { realm, account }: FoundCaller, version: string): void {
    if (!realm || !account) return;
    // Accounts share their organization. Events are no change of it.
    const shared = this.#realms.get(realm.id) ?? { ...realm, last_event_id: undefined };
    this.#realms.set(realm.id, shared, version);
    this.#callers.set(key, { realm: shared, account }, version);
  }
}
