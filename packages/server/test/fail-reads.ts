import type { Db } from '@parley/db';

export const CANNOT_CONNECT_NOW = '57P03';
export const TOO_MANY_CONNECTIONS = '53300';

/** Makes the database fail each statement that reads the table, with this SQLSTATE. */
export async function failReads(db: Db, table: string, state: string): Promise<void> {
  await db.execute(`alter table ${table} rename to ${table}_before`);
  await db.execute(`create function fail_reads() returns setof ${table}_before language plpgsql as
    $$ begin raise exception 'the test says so' using errcode = '${state}'; end $$`);
  await db.execute(`create view ${table} as select * from fail_reads()`);
}
