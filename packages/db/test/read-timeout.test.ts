// Statements of reads have a time limit of their own.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';
import { connectPostgres, type Database, type Db, rows, sqlState } from '../src/index.ts';

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await freshDatabase();
  database = connectPostgres(testDatabase.url ?? '', { connections: 2, readTimeout: 300 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.close();
});

const QUERY_CANCELED = '57014';
const sleep = (seconds: number) => sql`select pg_sleep(${seconds}), pg_backend_pid() as pid`;
const stateOf = (work: Promise<unknown>) => work.then(() => 'done', sqlState);
const runningSleeps = async () => {
  const found = await rows(
    testDatabase.db,
    sql`select from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`,
  );
  return found.length;
};

test.runIf(onPostgres)('a statement of a read ends after the limit for reads, in the server, too', async () => {
  expect(await stateOf(rows(database.reads, sleep(60)))).toBe(QUERY_CANCELED);
  expect(await runningSleeps()).toBe(0);
});

test.runIf(onPostgres)('a statement of a read-only transaction ends likewise', async () => {
  const work = database.reads.transaction((tx) => rows(tx, sleep(60)), { isolationLevel: 'repeatable read' });
  expect(await stateOf(work)).toBe(QUERY_CANCELED);
  expect(await runningSleeps()).toBe(0);
});

test.runIf(onPostgres)('a read-only transaction uses one connection, whatever runs concurrently', async () => {
  const isolation = (db: Db) =>
    rows<{ transaction_isolation: string }>(db, sql`show transaction_isolation`).then(
      ([row]) => row?.transaction_isolation,
    );
  const seen = await database.reads.transaction((tx) => Promise.all([database.db, tx, tx].map(isolation)), {
    isolationLevel: 'repeatable read',
  });
  expect(seen).toEqual(['read committed', 'repeatable read', 'repeatable read']);
  expect(await isolation(database.reads)).toBe('read committed');
});

test.runIf(onPostgres)('other statements can take longer', async () => {
  expect(await stateOf(rows(database.db, sleep(1)))).toBe('done');
});

test.runIf(onPostgres)('a connection on which a statement was canceled is not used again', async () => {
  const before = await Promise.all([1, 2].map(() => rows<{ pid: number }>(database.db, sleep(0.05))));
  const known = before.map(([row]) => row?.pid);
  expect(await Promise.all([1, 2].map(() => stateOf(rows(database.reads, sleep(60)))))).toEqual(
    Array(2).fill(QUERY_CANCELED),
  );
  const after = await Promise.all([1, 2].map(() => rows<{ pid: number }>(database.reads, sleep(0.05))));
  for (const [row] of after) expect(known).not.toContain(row?.pid);
});

test.runIf(onPostgres)(
  'a repeatable-read transaction has one connection and one snapshot, whatever runs concurrently',
  async () => {
    const statement = sql`select pg_backend_pid() as pid, current_setting('transaction_isolation') as isolation`;
    const seen = await Promise.all(
      Array.from({ length: 8 }, () =>
        database.reads.transaction(async (tx) => [...(await rows(tx, statement)), ...(await rows(tx, statement))], {
          isolationLevel: 'repeatable read',
        }),
      ),
    );
    for (const [first, second] of seen) {
      expect(first).toMatchObject({ isolation: 'repeatable read' });
      expect(second).toEqual(first);
    }
  },
);
