// What this process knows of the accounts of an organization. A version that changes with any of them
// (`account_versions`) says whether it still holds.
import { LRUCache } from 'lru-cache';

/** The maximum number of accounts that are remembered, in all organizations. */
const MOST = 200_000;

export interface ActiveAccount {
  readonly id: number;
  readonly role: number;
  readonly key_version: number;
}

/** Accounts as they are in one version. */
export class AccountVersion {
  readonly version: string;
  /** Accounts that were looked up, whether or not they are active. */
  readonly #ids = new Set<number>();
  /** Role of each active account. */
  readonly roles = new Map<number, number>();
  /** Version of the API key of each active account. */
  readonly key_versions = new Map<number, number>();

  constructor(version: string) {
    this.version = version;
  }

  get size(): number {
    return this.#ids.size;
  }

  listUnknown(ids: readonly number[]): number[] {
    return ids.filter((id) => !this.#ids.has(id));
  }

  /** `active`: those of the accounts that are. */
  add(ids: readonly number[], active: readonly ActiveAccount[]): void {
    for (const id of ids) this.#ids.add(id);
    for (const { id, role, key_version } of active) {
      this.roles.set(id, role);
      this.key_versions.set(id, key_version);
    }
  }
}

/** Accounts by organization: those whose clients wait for events. */
export class KnownAccounts {
  readonly #realms = new LRUCache<number, AccountVersion>({
    maxSize: MOST,
    sizeCalculation: ({ size }) => Math.max(size, 1),
  });

  /** What is known, of any version. */
  get(realm_id: number): AccountVersion | undefined {
    return this.#realms.get(realm_id);
  }

  /** Remembers a version; again after accounts were added to it, because the room that it takes has changed. */
  set(realm_id: number, accounts: AccountVersion): void {
    this.#realms.set(realm_id, accounts);
  }
}
