// Counters in addition to times: the work that a request causes in the database.
import type { BenchOrganization } from './organization.ts';
import type { BenchServer } from './server.ts';

export interface Cost {
  readonly statements: number;
  /** Rows inserted, updated and deleted, by table. */
  readonly tables: Readonly<Record<string, number>>;
  readonly rows: number;
  /** Bytes of write-ahead log of the whole PostgreSQL, so it is accurate only when nothing else runs on it. */
  readonly wal: number;
}

export async function costOf(
  { sql }: BenchOrganization,
  server: BenchServer,
  work: () => Promise<unknown>,
): Promise<Cost> {
  const writes = async () => {
    await server.flushCounts();
    // What this connection wrote when it filled the tables must not count as the server's.
    await sql`select pg_stat_force_next_flush()`;
    const [, found] = await sql.begin((tx) => [
      tx`select pg_stat_clear_snapshot()`,
      tx<{ name: string; rows: number }[]>`
        select relname as name, n_tup_ins + n_tup_upd + n_tup_del as rows from pg_stat_user_tables`,
    ]);
    return new Map(found.map(({ name, rows }) => [name, rows]));
  };
  const position = async () => {
    const [row] = await sql<{ at: string }[]>`select pg_current_wal_insert_lsn()::text as at`;
    return row?.at ?? '0/0';
  };
  const before = { writes: await writes(), statements: await server.statements(), at: await position() };
  await work();
  const after = { statements: await server.statements(), at: await position(), writes: await writes() };
  const changed = [...after.writes].map(([name, rows]) => [name, rows - (before.writes.get(name) ?? 0)] as const);
  const tables = Object.fromEntries(changed.filter(([, rows]) => rows > 0));
  const [wal] = await sql<{ bytes: number }[]>`select pg_wal_lsn_diff(${after.at}, ${before.at})::bigint as bytes`;
  return {
    statements: after.statements - before.statements,
    tables,
    rows: Object.values(tables).reduce((sum, rows) => sum + rows, 0),
    wal: wal?.bytes ?? 0,
  };
}
