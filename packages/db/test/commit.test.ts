// A transaction succeeds only if the database committed it.
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';
import { canRetryTransaction, findUnavailability, rows, sqlState } from '../src/index.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  await database.db.execute(sql`create table kept (n int primary key)`);
});
afterAll(() => database.close());

const listRows = async () =>
  (await rows<{ n: number }>(database.db, sql`select n from kept order by n`)).map(({ n }) => n);
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a transaction', () => {
  test('that the database ends with ROLLBACK fails, although no statement reports an error', async () => {
    const error = await errorOf(
      database.db.transaction(async (tx) => {
        await tx.execute(sql`insert into kept values (1)`);
        await tx.execute(sql`insert into kept values (1)`).catch(() => {});
      }),
    );
    expect(sqlState(error)).toBe('40000');
    expect([canRetryTransaction(error), findUnavailability(error)]).toEqual([true, 'rolled_back']);
    expect(await listRows()).toEqual([]);
  });

  test('succeeds when the statement that failed was in a savepoint', async () => {
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`insert into kept values (2)`);
      await tx.transaction((inner) => inner.execute(sql`insert into kept values (2)`)).catch(() => {});
    });
    expect(await listRows()).toEqual([2]);
  });

  test.runIf(onPostgres)('may have been committed when the connection ends during the commit', async () => {
    await database.db.execute(sql`create function end_session() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); perform 1; return null; end $$`);
    await database.db.execute(sql`create constraint trigger ends_session after insert on kept
      deferrable initially deferred for each row when (new.n = 3) execute function end_session()`);
    const error = await errorOf(database.db.transaction((tx) => tx.execute(sql`insert into kept values (3)`)));
    expect(sqlState(error)).toBe('08007');
    expect([canRetryTransaction(error), findUnavailability(error)]).toEqual([false, 'away']);
  });
});
