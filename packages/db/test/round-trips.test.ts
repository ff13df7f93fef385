// The `begin` of a transaction is sent with its first statement, and the commit with the last one where that is known.
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';
import { startTcpProxy, type TcpProxy } from '../../server/test/faults/tcp-proxy.ts';
import {
  canRetryTransaction,
  commitWithNextStatement,
  connectPostgres,
  type Database,
  type Db,
  findUnavailability,
  rows,
  sendTogether,
  sqlState,
  withGenericPlan,
} from '../src/index.ts';

const SYNC = 'S\0\0\0\u0004';
/** Requests the columns of the rows that a statement returns. */
const DESCRIBE = 'D\0\0\0\u0006P\0';

let admin: TestDatabase;
let proxy: TcpProxy | undefined;
let database: Database;
let [requests, described] = [0, 0];
beforeAll(async () => {
  admin = await freshDatabase();
  await admin.db.execute(sql`create table kept (n int primary key)`);
  database = admin;
  if (!onPostgres) return;
  proxy = await startTcpProxy(admin.url ?? '', (bytes) => {
    const text = bytes.toString('latin1');
    if (text.startsWith('Q') || text.endsWith(SYNC)) requests++;
    described += text.split(DESCRIBE).length - 1;
  });
  database = connectPostgres(proxy.addressOf(admin.url ?? ''), { connections: 1 });
});
// The first transaction of a connection prepares its statements.
beforeEach(async () => {
  for (const n of [100, 101]) await database.db.transaction((tx) => insertLast(tx, n));
  await database.db.transaction(async (tx) => void (await insert(tx, 102)));
  await database.db.transaction(async (tx) => void (await insert(tx, 103)), { isolationLevel: 'repeatable read' });
  [requests, described] = [0, 0];
});
afterEach(async () => void (await admin.db.execute(sql`delete from kept`)));
afterAll(async () => {
  if (database !== admin) await database.close();
  await proxy?.cut();
  await admin.close();
});

const insert = async (db: Db, n: number) => await db.execute(sql`insert into kept values (${n}::int)`);
const insertLast = (tx: Db, n: number) => {
  commitWithNextStatement(tx);
  return insert(tx, n);
};
const count = (db: Db) => rows<{ count: number }>(db, sql`select count(*)::int as count from kept where n < 100`);
const listRows = async () =>
  (await rows<{ n: number }>(admin.db, sql`select n from kept where n < 100 order by n`)).map(({ n }) => n);
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.runIf(onPostgres)('the requests to PostgreSQL', () => {
  test('are one for a transaction of one statement, and one more for each other statement', async () => {
    await database.db.transaction((tx) => insertLast(tx, 1));
    expect(requests).toBe(1);
    await database.db.transaction(async (tx) => {
      await insert(tx, 2);
      await insertLast(tx, 3);
    });
    expect(requests).toBe(3);
    expect(await listRows()).toEqual([1, 2, 3]);
  });

  test('are one for a statement with a generic plan', async () => {
    const read = () => rows(database.db, sql`select ${withGenericPlan} n from kept where n > ${99}::int order by n`);
    for (let n = 0; n < 2; n++) await read();
    requests = 0;
    expect(await read()).toEqual([{ n: 100 }, { n: 101 }, { n: 102 }, { n: 103 }]);
    expect(requests).toBe(1);
  });

  test('are one for two statements that are sent together, with the begin and the commit', async () => {
    for (const n of [1, 2, 3]) {
      requests = 0;
      await database.db.transaction((tx) =>
        sendTogether(
          tx,
          () => count(tx),
          () => insertLast(tx, n),
        ),
      );
    }
    expect(requests).toBe(1);
    expect(await listRows()).toEqual([1, 2, 3]);
  });

  test('include one for a commit that the last statement was not known for', async () => {
    await database.db.transaction(async (tx) => void (await insert(tx, 1)));
    expect(requests).toBe(2);
  });

  test('request the columns of a prepared statement once, in a transaction or outside', async () => {
    const select = (db: Db, n: number) => rows(db, sql`select ${n}::int as n, null as nothing where ${n}::int > 0`);
    const values: unknown[] = [];
    for (const n of [1, 2, 0, 3]) values.push(await select(database.db, n));
    await database.db.transaction(async (tx) => void values.push(await select(tx, 4), await insert(tx, 1)));
    const row = (n: number) => ({ n, nothing: null });
    expect(values.slice(0, 5)).toEqual([[row(1)], [row(2)], [], [row(3)], [row(4)]]);
    expect(described).toBe(1);
  });

  test('request the columns again when a migration changed them', async () => {
    const select = () => rows(database.db, sql`select * from widened`);
    await admin.db.execute(sql`create table widened (n int)`);
    await admin.db.execute(sql`insert into widened values (1)`);
    for (let n = 0; n < 2; n++) expect(await select()).toEqual([{ n: 1 }]);
    await admin.db.execute(sql`alter table widened add column m int not null default 2`);
    for (let n = 0; n < 2; n++) expect(await select()).toEqual([{ n: 1, m: 2 }]);
    expect(described).toBe(2);
  });

  test('are none for a transaction without statements', async () => {
    await database.db.transaction(async () => {});
    await errorOf(
      database.db.transaction(async () => {
        throw new Error('no');
      }),
    );
    expect(requests).toBe(0);
  });
});

describe('a transaction', () => {
  test('has the isolation level that it was begun with', async () => {
    const levels = await database.db.transaction(
      async (tx) => [
        await rows<{ level: string }>(tx, sql`select current_setting('transaction_isolation') as level`),
        await rows<{ level: string }>(tx, sql`select current_setting('transaction_isolation') as level`),
      ],
      { isolationLevel: 'repeatable read' },
    );
    expect(levels.flat().map(({ level }) => level)).toEqual(['repeatable read', 'repeatable read']);
  });

  test('is rolled back as a whole when its last statement fails', async () => {
    const error = await errorOf(
      database.db.transaction(async (tx) => {
        await insert(tx, 1);
        await insertLast(tx, 1);
      }),
    );
    expect(sqlState(error)).toBe('23505');
    expect(await listRows()).toEqual([]);
    await database.db.transaction((tx) => insertLast(tx, 2));
    expect(await listRows()).toEqual([2]);
  });

  test('that failed before its last statement is not committed', async () => {
    const error = await errorOf(
      database.db.transaction(async (tx) => {
        await insert(tx, 1);
        await errorOf(insert(tx, 1));
        await insertLast(tx, 2);
      }),
    );
    expect(sqlState(error)).toBe('25P02');
    expect(await listRows()).toEqual([]);
  });

  test('runs no statement after its commit', async () => {
    const error = await errorOf(
      database.db.transaction(async (tx) => {
        await insertLast(tx, 1);
        await insert(tx, 2);
      }),
    );
    expect(String((error as Error).cause)).toContain('The transaction is committed.');
    expect(await listRows()).toEqual([1]);
  });

  test.runIf(onPostgres)('that cannot begin runs no statement', async () => {
    const other = connectPostgres(admin.url ?? '', { connections: 1 });
    await other.db.transaction((tx) => insertLast(tx, 104));
    await other.db.execute(sql`deallocate "parley begin"`);
    expect(sqlState(await errorOf(other.db.transaction((tx) => insertLast(tx, 1))))).toBe('26000');
    expect(await listRows()).toEqual([]);
    await other.close();
  });

  test.runIf(onPostgres)('that cannot begin runs no later statement either, and is not committed', async () => {
    const other = connectPostgres(admin.url ?? '', { connections: 1 });
    await other.db.transaction((tx) => insertLast(tx, 104));
    await other.db.execute(sql`deallocate "parley begin"`);
    const errors: unknown[] = [];
    const committed = other.db.transaction(async (tx) => {
      errors.push(await errorOf(insert(tx, 1)), await errorOf(insert(tx, 2)), await errorOf(insertLast(tx, 3)));
    });
    expect(sqlState(await errorOf(committed))).toBe('40000');
    expect(errors.map(sqlState)).toEqual(['26000', '25P02', '25P02']);
    expect(await listRows()).toEqual([]);
    await other.close();
  });

  test.runIf(onPostgres)('can have been committed when the connection ends during its last statement', async () => {
    const error = await errorOf(
      database.db.transaction(async (tx) => {
        await insert(tx, 1);
        commitWithNextStatement(tx);
        await tx.execute(sql`select pg_terminate_backend(pg_backend_pid()), pg_sleep(0.1)`);
      }),
    );
    expect(sqlState(error)).toBe('08007');
    expect([canRetryTransaction(error), findUnavailability(error)]).toEqual([false, 'away']);
    expect(await listRows()).toEqual([]);
  });

  test.runIf(onPostgres)('is repeated when the connection ends during its first statement', async () => {
    const error = await errorOf(
      database.db.transaction((tx) => tx.execute(sql`select pg_terminate_backend(pg_backend_pid()), pg_sleep(0.1)`)),
    );
    expect(sqlState(error)).toBe('08006');
    expect(canRetryTransaction(error)).toBe(true);
  });
});
