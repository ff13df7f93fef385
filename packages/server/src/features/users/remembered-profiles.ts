import type { Database, Db } from '@parley/db';
import type { User } from '../../core/context.ts';
import { LeasedCache } from '../../core/leased-cache.ts';
import type { Profiles, UserProfiles } from '../../core/profiles.ts';
import { findVersionedProfiles } from './queries/profiles.ts';

/** The maximum number of users whose values a process remembers. */
const USERS = 10_000;

/** The values of users in custom profile fields, for as long as they cannot have changed (docs/adr/0054). */
export class RememberedProfiles implements UserProfiles {
  readonly #profiles: LeasedCache<string, Profiles>;

  constructor(lease: Database['callerLease']) {
    this.#profiles = new LeasedCache(lease, USERS);
  }

  async find(db: Db, { id, realm_id }: Pick<User, 'id' | 'realm_id'>): Promise<Profiles> {
    const key = `${realm_id} ${id}`;
    if (!this.#profiles.isLeased) await this.#profiles.settle();
    const known = this.#profiles.get(key);
    if (known) return known;
    const { profiles, version } = await findVersionedProfiles(db, realm_id, id);
    this.#profiles.set(key, profiles, version);
    return profiles;
  }
}
