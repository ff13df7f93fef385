import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';
import { commitWithNextStatement, connectPostgres, type Db, rows, withGenericPlan } from '../src/index.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());

const prepared = (db: Db, mark: string) =>
  rows<{ statement: string }>(
    db,
    sql`select statement from pg_prepared_statements where strpos(statement, ${mark}) > 0 and strpos(statement, 'pg_prepared') = 0`,
  );

/** Runs `work` on one connection: prepared statements belong to a connection. */
const onOne = <T>(work: (db: Db) => Promise<T>) => database.db.transaction((tx) => work(tx as unknown as Db));

describe('a statement', () => {
  test('is prepared once, for any parameters', async () => {
    await onOne(async (db) => {
      for (const n of [1, 2, 3]) expect(await rows(db, sql`select ${n}::int + 1 as once`)).toEqual([{ once: n + 1 }]);
      expect(await prepared(db, 'as once')).toHaveLength(1);
    });
  });

  test('is prepared outside a transaction as well', async () => {
    for (const n of [1, 2]) expect(await rows(database.db, sql`select ${n}::int as outside`)).toEqual([{ outside: n }]);
  });

  test('can have null in one call and a value in the next', async () => {
    const call = (value: number | null) => rows(database.db, sql`select ${value}::int as n`);
    expect([await call(1), await call(null), await call(2)]).toEqual([[{ n: 1 }], [{ n: null }], [{ n: 2 }]]);
  });

  test('that fails leaves the connection usable, and works with other values', async () => {
    const call = (n: number) => rows(database.db, sql`select 1 / ${n}::int as quotient`);
    await expect(call(0)).rejects.toThrow();
    expect(await call(1)).toEqual([{ quotient: 1 }]);
  });

  test('that is invalid SQL fails each time', async () => {
    for (let n = 0; n < 2; n++) await expect(rows(database.db, sql`selekt ${1}::int`)).rejects.toThrow();
    expect(await rows(database.db, sql`select ${1}::int as n`)).toEqual([{ n: 1 }]);
  });

  test('in a savepoint that is rolled back can be run again after it', async () => {
    await onOne(async (db) => {
      const call = (n: number) => rows(db, sql`select 10 / ${n}::int as tenth`);
      await expect(
        db.transaction((inner) => rows(inner as unknown as Db, sql`select 10 / ${0}::int as tenth`)),
      ).rejects.toThrow();
      expect(await call(5)).toEqual([{ tenth: 2 }]);
    });
  });

  test('sees the columns that a migration added after it was prepared', async () => {
    await database.db.execute(sql`create table changing (id int)`);
    await database.db.execute(sql`insert into changing values (1)`);
    const all = () => rows(database.db, sql`select * from changing where id = ${1}::int`);
    expect(await all()).toEqual([{ id: 1 }]);
    await database.db.execute(sql`alter table changing add column name text default 'new'`);
    expect(await all()).toEqual([{ id: 1, name: 'new' }]);
  });
});

describe('a statement with a generic plan', () => {
  const marked = (db: Db, n: number) =>
    rows<{ planned: number }>(db, sql`select ${withGenericPlan} 10 / ${n}::int as planned`);
  const onNextLine = (db: Db, n: number) =>
    rows<{ planned: number }>(
      db,
      sql`
        select ${withGenericPlan} 10 / ${n}::int as late`,
    );
  const plansOf = (db: Db, mark: string) =>
    rows<{ generic: number; custom: number }>(
      db,
      sql`select generic_plans as generic, custom_plans as custom from pg_prepared_statements
          where strpos(statement, ${mark}) > 0 and strpos(statement, 'pg_prepared') = 0`,
    );
  const settingOf = (db: Db) =>
    rows(db, sql`select current_setting('plan_cache_mode') as mode, current_setting('enable_seqscan') as scans`);
  const usual = [{ mode: 'auto', scans: 'on' }];

  test('is not planned for its parameters, and has no effect on what follows', async () => {
    const one = await openOne();
    try {
      for (const n of [1, 2, 5]) expect(await marked(one.db, n)).toEqual([{ planned: 10 / n }]);
      expect(await plansOf(one.db, 'as planned')).toEqual([{ generic: 3, custom: 0 }]);
      expect(await settingOf(one.db)).toEqual(usual);
    } finally {
      await one.close();
    }
  });

  test('reads by an index, also when it was planned while the table was empty', async () => {
    const one = await openOne();
    try {
      await one.db.execute(sql`create table growing (id int primary key)`);
      const find = () => rows(one.db, sql`select ${withGenericPlan} id from growing where id = ${7}::int`);
      expect(await find()).toEqual([]);
      await one.db.execute(sql`insert into growing select n from generate_series(1, 1000) n`);
      expect(await find()).toEqual([{ id: 7 }]);
      await one.db.execute(sql`select pg_stat_force_next_flush()`);
      const scans = sql`select seq_scan::int as all, idx_scan::int as indexed from pg_stat_user_tables where relname = 'growing'`;
      // Creating the key reads the table once.
      expect(await rows(one.db, scans)).toEqual([{ all: 1, indexed: 2 }]);
    } finally {
      await one.close();
    }
  });

  test('that fails has no effect on what follows', async () => {
    const one = await openOne();
    try {
      for (const n of [1, 0]) await marked(one.db, n).catch(() => {});
      expect(await settingOf(one.db)).toEqual(usual);
      expect(await marked(one.db, 5)).toEqual([{ planned: 2 }]);
    } finally {
      await one.close();
    }
  });

  test('has one wherever its text begins', async () => {
    const one = await openOne();
    try {
      await onNextLine(one.db, 5);
      expect(await plansOf(one.db, 'as late')).toEqual([{ generic: 1, custom: 0 }]);
    } finally {
      await one.close();
    }
  });

  test('has one in a transaction too, and no effect on what follows in it', async () => {
    const one = await openOne();
    const inside = (db: Db, n: number) => rows(db, sql`select ${withGenericPlan} 10 / ${n}::int as inside`);
    try {
      for (let n = 0; n < 2; n++) {
        await one.db.transaction(async (db) => {
          // First it goes out with the `begin`.
          for (const n of [1, 2, 5]) {
            expect(await inside(db, n)).toEqual([{ inside: 10 / n }]);
            expect(await settingOf(db)).toEqual(usual);
          }
        });
      }
      expect(await plansOf(one.db, 'as inside')).toEqual([{ generic: 6, custom: 0 }]);
    } finally {
      await one.close();
    }
  });

  test('has one where it commits the transaction', async () => {
    const one = await openOne();
    try {
      for (let n = 0; n < 2; n++) {
        await one.db.transaction(async (db) => {
          await rows(db, sql`select ${1}::int as first`);
          commitWithNextStatement(db);
          expect(await marked(db, 5)).toEqual([{ planned: 2 }]);
        });
        expect(await settingOf(one.db)).toEqual(usual);
      }
    } finally {
      await one.close();
    }
  });

  test('that fails in a savepoint has no effect on what follows', async () => {
    await onOne(async (db) => {
      await marked(db, 1);
      await expect(db.transaction((inner) => marked(inner, 0))).rejects.toThrow();
      expect(await settingOf(db)).toEqual(usual);
      expect(await marked(db, 2)).toEqual([{ planned: 5 }]);
    });
  });
});

test('the number of prepared statements is limited', async () => {
  await onOne(async (db) => {
    for (let n = 0; n < 1_050; n++) await rows(db, sql`select ${n}::int as ${sql.raw(`many${n}`)}`);
    expect((await prepared(db, 'as many')).length).toBeLessThanOrEqual(1_000);
    expect(await rows(db, sql`select ${7}::int as many0`)).toEqual([{ many0: 7 }]);
  });
});

test('a statement with a long list of values is not kept as prepared', async () => {
  await onOne(async (db) => {
    const ids = Array.from({ length: 3_000 }, (_, n) => n);
    const list = sql.join(
      ids.map((id) => sql`${id}::int`),
      sql`, `,
    );
    for (let n = 0; n < 2; n++)
      expect(await rows(db, sql`select 1 as listed where 7 in (${list})`)).toEqual([{ listed: 1 }]);
    expect(await prepared(db, 'as listed')).toEqual([]);
  });
});

test.runIf(onPostgres)('prepare=false in the URL prepares nothing', async () => {
  const url = new URL(database.url ?? '');
  url.searchParams.set('prepare', 'false');
  const plain = connectPostgres(url.toString(), { connections: 1 });
  try {
    for (const n of [1, 2]) expect(await rows(plain.db, sql`select ${n}::int as plain`)).toEqual([{ plain: n }]);
    expect(await prepared(plain.db, 'as plain')).toEqual([]);
  } finally {
    await plain.close();
  }
});

/** The embedded database has one connection. */
const openOne = async (): Promise<{ readonly db: Db; close(): Promise<void> }> =>
  onPostgres ? connectPostgres(database.url ?? '', { connections: 1 }) : { db: database.db, close: async () => {} };
