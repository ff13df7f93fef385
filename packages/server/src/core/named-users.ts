import type { Db } from '@parley/db';
import type { User } from './context.ts';

/** The fields of a user that messages show. */
export type NamedUser = Pick<User, 'id' | 'full_name' | 'delivery_email' | 'email_address_visibility' | 'avatar_key'>;

/** Users whom many responses name. */
export interface NamedUsers {
  /** Whether `find` can do without a statement now. */
  readonly areRemembered: boolean;
  /** The users of an organization with these ids, by id: as they are, or were since the call. */
  find(db: Db, realm_id: number, ids: Iterable<number>): Promise<ReadonlyMap<number, NamedUser>>;
}

export interface UserNaming {
  readonly namedUsers: NamedUsers;
}
