import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEmbedded, connectPostgres, type Database, maintainTables, rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  await maintainTables(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.db.execute(sql`drop table if exists parcels`);
  await database.db.execute(sql`create table parcels (id bigint primary key, text text)`);
});

const insert = (from: number, count: number, { db }: Pick<Database, 'db'> = database) =>
  db.execute(
    sql`insert into parcels select ${from}::int + n, repeat('x', 200) from generate_series(1, ${count}::int) n`,
  );

async function sizeOf(): Promise<{ pages: number; tuples: number }> {
  const [found] = await rows<{ pages: number; tuples: number }>(
    database.db,
    sql`select pg_relation_size(oid)::int / 8192 as pages, reltuples::int as tuples from pg_class where relname = 'parcels'`,
  );
  return found ?? { pages: 0, tuples: 0 };
}

test('a table is analyzed when it has doubled, and not before', async () => {
  expect(await maintainTables(database)).toEqual([]);
  await insert(0, 1000);
  expect((await sizeOf()).tuples).toBe(-1);
  expect(await maintainTables(database)).toEqual(['parcels']);
  expect((await sizeOf()).tuples).toBe(1000);
  await insert(1000, 800);
  expect(await maintainTables(database)).toEqual([]);
  await insert(1800, 800);
  expect(await maintainTables(database)).toEqual(['parcels']);
});

test.runIf(onPostgres)('a plan that was made while a table was empty is made anew when it has grown', async () => {
  const one = connectPostgres(database.url ?? '', { connections: 1 });
  try {
    await one.db.execute(sql.raw('vacuum (analyze) parcels'));
    await one.db.execute(sql.raw('prepare find (bigint) as select text from parcels where id = $1'));
    for (let n = 0; n < 10; n++) await one.db.execute(sql.raw('execute find (1)'));
    await insert(0, 5000, one);
    const explain = async () => JSON.stringify(await rows(one.db, sql.raw('explain execute find (1)')));
    expect(await explain()).toContain('Seq Scan');
    await maintainTables(database);
    expect(await explain()).toContain('parcels_pkey');
  } finally {
    await one.close();
  }
});

describe.runIf(!onPostgres)('on the embedded database', () => {
  test('new rows get the space of deleted ones', async () => {
    const once = 2000;
    await insert(0, once);
    const { pages } = await sizeOf();
    for (let round = 1; round <= 20; round++) {
      await database.db.execute(sql`delete from parcels where id <= ${round * once}`);
      await maintainTables(database);
      await insert(round * once, once);
    }
    expect((await sizeOf()).pages).toBeLessThan(2 * pages);
  });

  test('rows that were deleted before it was opened count as well', async () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'parley-maintenance-')), 'data');
    const pagesAfter = async (work: (one: Database) => Promise<unknown>) => {
      const one = await connectEmbedded({ dataDir });
      await work(one);
      const [size] = await rows<{ pages: number }>(
        one.db,
        sql`select pg_relation_size('parcels')::int / 8192 as pages`,
      );
      await one.close();
      return size?.pages ?? 0;
    };
    const fill = ({ db }: Database) =>
      db.execute(sql`insert into parcels select n, repeat('x', 200) from generate_series(1, 900) n`);
    try {
      const pages = await pagesAfter(async (one) => {
        await one.db.execute(sql`create table parcels (id bigint, text text)`);
        await fill(one);
      });
      for (let restart = 0; restart < 5; restart++) {
        await pagesAfter((one) => one.db.execute(sql`delete from parcels`));
        await pagesAfter(async (one) => {
          await maintainTables(one);
          await fill(one);
        });
      }
      expect(await pagesAfter(async () => {})).toBeLessThan(2 * pages);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
