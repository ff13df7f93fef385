import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import { callerVersion } from '../../../core/caller-version-sql.ts';
import type { NamedUser } from '../../../core/named-users.ts';

/** Columns of a user whom messages name, as `u`. */
export const namedUserColumns: SQL = sql`u.id, u.full_name, u.delivery_email, u.email_address_visibility, u.avatar_key`;

/** These users of an organization, each with the version of all accounts. */
export async function listNamedUsers(
  db: Db,
  realm_id: number,
  ids: readonly number[],
): Promise<(NamedUser & { readonly version: string })[]> {
  return rows(
    db,
    sql`select ${namedUserColumns}, ${callerVersion} as version from users u
        where u.realm_id = ${realm_id} and u.id = any(${bigints(ids)})`,
  );
}

/** One user as JSON: an expression of a query. */
export const jsonNamedUser = (realm_id: number, id: SQL): SQL =>
  sql`(select to_json(u) from (select ${namedUserColumns} from users u where u.realm_id = ${realm_id} and u.id = ${id}) u)`;
