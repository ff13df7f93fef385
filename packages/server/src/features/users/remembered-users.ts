import { type Database, type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../core/bigints-sql.ts';
import { callerVersion } from '../../core/caller-version-sql.ts';
import { LeasedCache } from '../../core/leased-cache.ts';
import type { NamedUser, NamedUsers } from '../../core/named-users.ts';

/** The maximum number of users that a process remembers: about 20 MB. */
const USERS = 50_000;

/** Columns of a user that messages name, as `u`. */
export const namedUserColumns: SQL = sql`u.id, u.full_name, u.delivery_email, u.email_address_visibility, u.avatar_key`;

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

const listNamedUsers = (
  db: Db,
  realm_id: number,
  ids: readonly number[],
): Promise<(NamedUser & { readonly version: string })[]> =>
  rows(
    db,
    sql`select ${namedUserColumns}, ${callerVersion} as version from users u
        where u.realm_id = ${realm_id} and u.id = any(${bigints(ids)})`,
  );
