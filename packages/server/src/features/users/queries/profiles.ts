import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import { callerVersion } from '../../../core/caller-version-sql.ts';
import type { ProfileData, Profiles } from '../../../core/profiles.ts';

const profileData: SQL = sql`jsonb_object_agg(field_id, jsonb_strip_nulls(jsonb_build_object(
            'value', value, 'rendered_value', rendered_value)))`;

/** The values of these users, or of all, in custom profile fields. */
export async function listProfiles(db: Db, realm_id: number, user_ids?: readonly number[]): Promise<Profiles> {
  const among: SQL = user_ids ? sql`and user_id = any(${bigints(user_ids)})` : sql``;
  const found = await rows<{ user_id: number; profile_data: ProfileData }>(
    db,
    sql`select user_id,
          ${profileData} as profile_data
        from profile_values where realm_id = ${realm_id} ${among} group by user_id`,
  );
  return new Map(found.map(({ user_id, profile_data }) => [user_id, profile_data]));
}

/** The values of a user, with the version of all accounts. */
export async function findVersionedProfiles(
  db: Db,
  realm_id: number,
  user_id: number,
): Promise<{ profiles: Profiles; version: string }> {
  const [row] = await rows<{ profile_data: ProfileData | null; version: string }>(
    db,
    sql`select ${profileData} as profile_data, ${callerVersion} as version
        from profile_values where realm_id = ${realm_id} and user_id = ${user_id}`,
  );
  return { profiles: new Map(row?.profile_data ? [[user_id, row.profile_data]] : []), version: row?.version ?? '' };
}

/** The same as `listProfiles`, with the fields locked for share: events about values come before the removal of a field. */
export async function listLastingProfiles(db: Db, realm_id: number, user_ids: readonly number[]): Promise<Profiles> {
  await rows(db, sql`select from profile_fields where realm_id = ${realm_id} order by id for key share`);
  return listProfiles(db, realm_id, user_ids);
}
