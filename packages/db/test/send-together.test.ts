// Statements of a transaction that go out in one round trip.
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';
import {
  commitWithNextStatement,
  connectPostgres,
  type Database,
  type Db,
  rows,
  sendTogether,
  sqlState,
} from '../src/index.ts';
import { runWithSteps } from '../src/postgres/transaction-query.ts';

let admin: TestDatabase;
let database: Database;
beforeAll(async () => {
  admin = await freshDatabase();
  await admin.db.execute(sql`create table kept (n int primary key)`);
  database = onPostgres ? connectPostgres(admin.url ?? '', { connections: 1 }) : admin;
});
beforeEach(async () => void (await insert(admin.db, 100)));
afterEach(async () => void (await admin.db.execute(sql`delete from kept`)));
afterAll(async () => {
  if (database !== admin) await database.close();
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

describe('statements that are sent together', () => {
  const together = (tx: Db, first: (tx: Db) => Promise<unknown>, second: (tx: Db) => Promise<unknown>) =>
    sendTogether(
      tx,
      () => first(tx),
      () => second(tx),
    );
  // The first statement is prepared by itself, so each is run twice.
  const twice = [1, 2];

  test('have their own results, in their order', async () => {
    for (const n of twice) {
      const found = await database.db.transaction((tx) =>
        together(tx, count, (tx) => rows(tx, sql`select ${n}::int as n`)),
      );
      expect(found).toEqual([[{ count: 0 }], [{ n }]]);
      expect(await database.db.transaction((tx) => together(tx, (tx) => insert(tx, n), count))).toMatchObject([
        { rowCount: 1 },
        [{ count: 1 }],
      ]);
      await admin.db.execute(sql`delete from kept where n = ${n}`);
    }
  });

  test('fail together if the first one fails, and nothing is committed', async () => {
    for (const _ of twice) {
      const results: PromiseSettledResult<unknown>[] = [];
      const settle = async (work: Promise<unknown>) => {
        results.push(...(await Promise.allSettled([work])));
        return work;
      };
      const error = await errorOf(
        database.db.transaction((tx) =>
          together(
            tx,
            (tx) => settle(insert(tx, 100)),
            (tx) => settle(insertLast(tx, 1)),
          ),
        ),
      );
      expect(sqlState(error)).toBe('23505');
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    }
    expect(await listRows()).toEqual([]);
  });

  test('have the result of the first one if the second fails, and nothing is committed', async () => {
    for (const n of twice) {
      let first: unknown;
      const error = await errorOf(
        database.db.transaction((tx) =>
          together(
            tx,
            async (tx) => {
              first = await rows(tx, sql`insert into kept values (${n}) returning n`);
            },
            (tx) => insertLast(tx, 100),
          ),
        ),
      );
      expect(sqlState(error)).toBe('23505');
      expect(first).toEqual([{ n }]);
    }
    expect(await listRows()).toEqual([]);
  });

  test('can be followed by others, and by a commit of its own', async () => {
    for (const n of twice) {
      await database.db.transaction(async (tx) => {
        await together(tx, count, (tx) => insert(tx, n));
        await insert(tx, 10 + n);
      });
    }
    expect(await listRows()).toEqual([1, 2, 11, 12]);
  });

  test('need not be two: the first is sent alone if no other follows', async () => {
    for (const n of twice) {
      await database.db.transaction(
        async (tx) =>
          void (await together(
            tx,
            (tx) => insert(tx, n),
            async () => 'nothing',
          )),
      );
      const left = await errorOf(
        database.db.transaction((tx) =>
          together(
            tx,
            () => Promise.reject(new Error('before')),
            (tx) => insert(tx, 5),
          ),
        ),
      );
      expect(left).toMatchObject({ message: 'before' });
    }
    expect(await listRows()).toEqual([1, 2]);
  });

  test('may be followed by a savepoint', async () => {
    for (const n of twice) {
      await database.db.transaction((tx) =>
        together(
          tx,
          (tx) => insert(tx, n),
          (tx) => tx.transaction((inner) => insert(inner as unknown as Db, 10 + n)),
        ),
      );
    }
    expect(await listRows()).toEqual([1, 2, 11, 12]);
  });

  test('do not run where a value cannot be sent, and the connection is used again', async () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const bad = (tx: Db) => rows(tx, sql`select ${sql.param(circular)}::jsonb as value`);
    await rows(database.db, sql`select ${sql.param({})}::jsonb as value`);
    const error = await errorOf(database.db.transaction((tx) => together(tx, bad, (tx) => insertLast(tx, 1))));
    expect(String((error as Error).cause)).toContain('circular');
    const other = await errorOf(database.db.transaction((tx) => together(tx, count, bad)));
    expect(String((other as Error).cause)).toContain('circular');
    expect(await listRows()).toEqual([]);
    await database.db.transaction((tx) => insertLast(tx, 2));
    expect(await listRows()).toEqual([2]);
  });

  test.runIf(onPostgres)(
    'fail if a row of the first one cannot be read, and the connection is used again',
    async () => {
      const client = new pg.Client(admin.url);
      await client.connect();
      const fail = () => {
        throw new Error('unreadable');
      };
      const unreadable = { name: 'unreadable', text: 'select 1 as n', types: { getTypeParser: () => fail } as never };
      const query = { name: 'readable', text: 'select 2 as n' };
      const steps = { before: [], leading: [], after: [], commit: undefined };
      await expect(runWithSteps(client, unreadable, [], steps)).rejects.toThrow('unreadable');
      const found: unknown[] = [];
      const leading = { query: unreadable, values: [], onResult: (result: unknown) => void found.push(result) };
      await expect(runWithSteps(client, query, [], { ...steps, leading: [leading] })).rejects.toThrow('unreadable');
      expect(found).toEqual([]);
      expect(await runWithSteps(client, query, [], steps)).toMatchObject({ result: { rows: [{ n: 2 }] } });
      await client.end();
    },
  );

  test('can be three or more', async () => {
    for (const n of twice) {
      const found = await database.db.transaction((tx) =>
        sendTogether(
          tx,
          () => count(tx),
          () => insert(tx, n),
          () => count(tx),
          () => insertLast(tx, 10 + n),
        ),
      );
      expect(found).toMatchObject([[{ count: 2 * (n - 1) }], { rowCount: 1 }, [{ count: 2 * n - 1 }], { rowCount: 1 }]);
    }
    expect(await listRows()).toEqual([1, 2, 11, 12]);
  });

  test('of three, those after one that fails do not run, and nothing is committed', async () => {
    for (const _ of twice) {
      const first: unknown[] = [];
      const third: unknown[] = [];
      const work = (tx: Db) =>
        sendTogether(
          tx,
          async () => first.push(await insert(tx, 1)),
          () => insert(tx, 100),
          async () => third.push(await count(tx)),
        );
      expect(sqlState(await errorOf(database.db.transaction(work)))).toBe('23505');
      expect([first.length, third.length]).toEqual([1, 0]);
    }
    expect(await listRows()).toEqual([]);
  });

  test('of three, a function that fails before it sends anything ends them all', async () => {
    const fail = () => Promise.reject(new Error('before'));
    for (const n of twice) {
      const work = (tx: Db) =>
        sendTogether(
          tx,
          () => insert(tx, n),
          fail,
          () => insert(tx, 10 + n),
        );
      expect(await errorOf(database.db.transaction(work))).toMatchObject({ message: 'before' });
      // The connection is as before.
      expect(await database.db.transaction((tx) => count(tx))).toEqual([{ count: 0 }]);
    }
  });

  test.runIf(onPostgres)('see what was committed before the lock of the first was granted', async () => {
    const lock = (tx: Db) => rows(tx, sql`select from kept where n = 100 for update`);
    const other = connectPostgres(admin.url ?? '', { connections: 8 });
    const add = () =>
      other.db.transaction((tx) =>
        together(tx, lock, (tx) => {
          commitWithNextStatement(tx);
          return tx.execute(sql`insert into kept select count(*) from kept where n < 100`);
        }),
      );
    await Promise.all(Array.from({ length: 40 }, add));
    expect(await listRows()).toEqual(Array.from({ length: 40 }, (_, n) => n));
    await other.close();
  });
});
