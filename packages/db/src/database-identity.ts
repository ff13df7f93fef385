// Facts that change with a restore, a recovery or a failover. A role may lack the permission to read some of them.
import { statSync } from 'node:fs';
import { type SQL, sql } from 'drizzle-orm';
import { type Database, type Db, rows } from './connect.ts';
import { findUnavailability } from './unavailable.ts';

/** Facts by name, as strings; unknown ones are absent. */
export type DatabaseIdentity = Readonly<Record<string, string>>;

/** Whether a fact is equal in both, as far as both contain it. */
export const isSameDatabase = (one: DatabaseIdentity, other: DatabaseIdentity, name: string): boolean =>
  one[name] === undefined || other[name] === undefined || one[name] === other[name];

interface Facts {
  readonly database: string;
  readonly system?: string | null;
  readonly timeline?: string | null;
}

const canExecute = (name: string) => sql`coalesce(has_function_privilege(to_regprocedure(${name}), 'execute'), false)`;
const database = sql`(select oid::text from pg_database where datname = current_database()) as database`;

/** The facts that distinguish the database from its copies; `db` is the connection to query. */
export async function findIdentity({ kind, directory }: Database, db: Db): Promise<DatabaseIdentity> {
  if (kind === 'postgres') return findPostgresIdentity(db);
  return directory === undefined ? {} : findDirectoryIdentity(directory);
}

/**
 * The cluster, its timeline, which a recovery and a failover raise, and the number of the database in the cluster.
 * Without permission for one of the functions, PostgreSQL rejects the statement, even if it does not call them.
 */
async function findPostgresIdentity(db: Db): Promise<DatabaseIdentity> {
  const [may] = await rows<{ system: boolean; timeline: boolean }>(
    db,
    sql`select ${canExecute('pg_control_system()')} as system,
          ${canExecute('pg_walfile_name(pg_lsn)')} and ${canExecute('pg_current_wal_insert_lsn()')} as timeline`,
  );
  const system = may?.system ? sql`(select system_identifier::text from pg_control_system())` : sql`null`;
  const timeline = may?.timeline
    ? sql`case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end`
    : sql`null`;
  const select = (on: Db, columns: SQL) => rows<Facts>(on, sql`select ${columns}`);
  // In a transaction of its own, or a savepoint, so that a failure ends no transaction of the caller.
  const [facts] = await db
    .transaction((tx) => select(tx, sql`${database}, ${system} as system, ${timeline} as timeline`))
    .catch(
      // A service that is not quite PostgreSQL has the functions and does not support them.
      (error: unknown) => {
        if (findUnavailability(error)) throw error;
        return select(db, database);
      },
    );
  return Object.fromEntries(Object.entries(facts ?? {}).filter((fact): fact is [string, string] => fact[1] !== null));
}

/** The directory of an embedded database: a copy is another directory. */
const findDirectoryIdentity = (directory: string): DatabaseIdentity => ({
  directory: statSync(directory, { bigint: true }).ino.toString(),
});
