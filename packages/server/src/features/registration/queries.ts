import { type Db, rows } from '@parley/db';
import { type SQL, sql } from 'drizzle-orm';
import type { StateQuery } from '../../core/state-query.ts';

/**
 * The values of several queries in one statement; null for those that are not wanted. The text is the same whichever are
 * wanted: clients must not decide how many statements stay prepared.
 */
export async function selectStateQueries(
  db: Db,
  queries: readonly (Pick<StateQuery, 'json'> & { readonly isWanted: boolean })[],
): Promise<unknown[]> {
  const columns = queries.map(
    ({ json, isWanted }, n): SQL => sql`case when ${isWanted}::boolean then ${json} end as ${sql.raw(`value_${n}`)}`,
  );
  const [row] = await rows<Record<string, unknown>>(db, sql`select ${sql.join(columns, sql`, `)}`);
  return Object.values(row ?? {});
}
