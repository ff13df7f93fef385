import type { Db } from '@parley/db';
import type { User } from './context.ts';
import type { Schema } from './contract.ts';

export type ProfileData = NonNullable<Schema<'User'>['profile_data']>;
/** The values of users in custom profile fields, by user id. Users without values are absent. */
export type Profiles = ReadonlyMap<number, ProfileData>;

/** The values of users in custom profile fields, which a busy server remembers. */
export interface UserProfiles {
  /** The values of a user: as they are, or were since the call. */
  find(db: Db, user: Pick<User, 'id' | 'realm_id'>): Promise<Profiles>;
}

export interface ProfileRemembering {
  readonly profiles: UserProfiles;
}
