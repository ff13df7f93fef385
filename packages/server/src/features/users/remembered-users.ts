import type { Database, Db } from '@parley/db';
import { LeasedCache } from '../../core/leased-cache.ts';
import type { NamedUser, NamedUsers } from '../../core/named-users.ts';
import { listNamedUsers } from './queries/named.ts';

/** The maximum number of users that a process remembers: about 20 MB. */
const USERS = 50_000;

/** The names of users, for as long as they cannot have changed (docs/adr/0054). */
export class RememberedUsers implements NamedUsers {
  readonly #users: LeasedCache<string, NamedUser>;

  constructor(lease: Database['callerLease']) {
    this.#users = new LeasedCache(lease, USERS);
  }

  get areRemembered(): boolean {
    return this.#users.isLeased;
  }

  async find(db: Db, realm_id: number, ids: Iterable<number>): Promise<ReadonlyMap<number, NamedUser>> {
    if (!this.areRemembered) await this.#users.settle();
    const found = new Map<number, NamedUser>();
    const unknown: number[] = [];
    for (const id of ids) {
      const user = this.#users.get(keyOf(realm_id, id));
      if (user) found.set(id, user);
      else unknown.push(id);
    }
    if (unknown.length === 0) return found;
    for (const { version, ...user } of await listNamedUsers(db, realm_id, unknown)) {
      found.set(user.id, user);
      this.#users.set(keyOf(realm_id, user.id), user, version);
    }
    return found;
  }
}

const keyOf = (realm_id: number, id: number): string => `${realm_id} ${id}`;
