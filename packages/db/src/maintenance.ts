// What the planner knows of tables, and the space of rows that were deleted.
import { type SQL, sql } from 'drizzle-orm';
import { type Database, type Db, rows } from './connect.ts';

/** Pages of 8 KiB by which a table must have grown: a smaller one is read as fast without an index. */
const MARGIN = 4;
/** Deleted rows for which a table is vacuumed, besides a fifth of those that it has. Autovacuum waits for 50. */
const DELETED = 1000;

const pages = sql`pg_relation_size(c.oid) / 8192`;
const hasDoubled = sql`${pages} >= 2 * c.relpages + ${MARGIN}::int`;
/** The counters of an embedded database begin again with each process, so a table is vacuumed once in each. */
const hasDeletedRows = sql`(s.n_dead_tup > ${DELETED}::int + s.n_live_tup / 5 or (s.last_vacuum is null and ${pages} >= ${MARGIN}::int))`;

async function listTables(db: Db, which: SQL): Promise<string[]> {
  const found = await rows<{ name: string }>(
    db,
    sql`select quote_ident(c.relname) as name from pg_class c join pg_stat_user_tables s on s.relid = c.oid
        where c.relnamespace = (select relnamespace from pg_class where oid = 'realms'::regclass)
          and pg_has_role(c.relowner, 'usage') and ${which}`,
  );
  return found.map(({ name }) => name);
}

/**
 * Analyzes the tables that have doubled. A connection keeps the plan of a statement that it made while a table was small, which
 * reads all of it, until the table is analyzed. Autovacuum does that as well, where it is on, but up to a minute later.
 *
 * The embedded database has no autovacuum: these tables are vacuumed, and those with many deleted rows, so that new
 * rows get their space. Returns the names of the tables.
 */
export async function maintainTables({ db, kind }: Pick<Database, 'db' | 'kind'>): Promise<string[]> {
  const isAlone = kind === 'embedded';
  // Otherwise its counters are never updated.
  if (isAlone) await db.execute(sql`select pg_stat_force_next_flush()`);
  const names = await listTables(db, isAlone ? sql`(${hasDoubled} or ${hasDeletedRows})` : hasDoubled);
  const command = isAlone ? 'vacuum (analyze)' : 'analyze (skip_locked)';
  for (const name of names) await db.execute(sql.raw(`${command} ${name}`));
  return names;
}
