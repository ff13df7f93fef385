import { type Db, rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { StateQuery } from '../../core/state-query.ts';

/**
 * The values of several queries in one statement; null for those that are not selected. The text is the same whichever
 * are selected: clients must not decide how many statements stay prepared.
 */
export async function selectStateQueries(
  db: Db,
  queries: readonly (Pick<StateQuery, 'json'> & { readonly isSelected: boolean })[],
): Promise<unknown[]> {
  const columns = queries.map(
    ({ json, isSelected }, n): SQL =>
      sql`case when ${isSelected}::boolean then ${json} end as ${sql.raw(`value_${n}`)}`,
  );
  const [row] = await rows<Record<string, unknown>>(db, sql`select ${withGenericPlan} ${sql.join(columns, sql`, `)}`);
  return Object.values(row ?? {});
}
