// The embedded database runs in a thread of its own: it never blocks the server's thread, and can be stopped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../../server/test/database.ts';
import { connectEmbedded, type Db, findUnavailability, rows, sqlState } from '../../src/index.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Takes a second or so, and reads nothing. */
const LONG = sql`select count(*)::int as n from generate_series(1, 400) a, generate_series(1, 10000) b`;
/** Would take hours. */
const ENDLESS = sql`select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b`;
/** Ends PostgreSQL: the embedded one can start no program. */
const CRASH = sql`copy soups from program 'no program'`;

const one = (db: Db) => rows(db, sql`select 1 as n`);
const limit = (db: Db, milliseconds: number) => db.execute(sql.raw(`set statement_timeout = ${milliseconds}`));
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** Counts the turns of the event loop until the work has ended. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    turns++;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await done;
  return turns;
}

describe('a long statement', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
    await database.db.execute(sql`create table soups (name text)`);
  });
  afterEach(() => limit(database.db, 0));
  afterAll(() => database.close());

  test('does not block the event loop; another caller waits for it and succeeds', async () => {
    const order: string[] = [];
    const long = rows(database.db, LONG).then((found) => void order.push(JSON.stringify(found)));
    const short = one(database.db).then(() => void order.push('short'));
    expect(await countTurns(Promise.all([long, short]))).toBeGreaterThan(20);
    expect(order).toEqual(['[{"n":4000000}]', 'short']);
  });

  test('ends with SQLSTATE 57014 after statement_timeout, and the next statement runs in the same session', async () => {
    await database.db.execute(sql`create temporary table mine (n int)`);
    await limit(database.db, 200);
    const error = await errorOf(database.db.execute(ENDLESS));
    expect([sqlState(error), findUnavailability(error)]).toEqual(['57014', undefined]);
    expect(await one(database.db)).toEqual([{ n: 1 }]);
    expect(await rows(database.db, sql`select * from mine`)).toEqual([]);
  });

  test('ends its transaction, which is rolled back', async () => {
    await limit(database.db, 200);
    const work = database.db.transaction(async (tx) => {
      await tx.execute(sql`insert into soups values ('pea')`);
      await tx.execute(ENDLESS);
    });
    expect(sqlState(await errorOf(work))).toBe('57014');
    expect(await rows(database.db, sql`select * from soups`)).toEqual([]);
  });

  test('has the whole limit to itself, and no more, whatever ran before it', async () => {
    const sleep = () => rows(database.db, sql`select pg_sleep(1)::text as n`);
    await limit(database.db, 2_500);
    for (let n = 0; n < 4; n++) expect(await sleep()).toEqual([{ n: '' }]);
    expect(sqlState(await errorOf(database.db.execute(ENDLESS)))).toBe('57014');
    expect(await sleep()).toEqual([{ n: '' }]);
  });

  test('ends at its limit also where PostgreSQL has another timer that fires earlier', async () => {
    await limit(database.db, 11_000);
    // Statistics of a session that writes are reported when it has been idle for ten seconds.
    await database.db.execute(sql`insert into soups values ('leek')`);
    await database.db.execute(sql`delete from soups`);
    expect(sqlState(await errorOf(database.db.execute(ENDLESS)))).toBe('57014');
  });

  test('has no limit where the transaction sets none, as migrations do', async () => {
    await limit(database.db, 100);
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`set local statement_timeout = 0`);
      expect(
        await rows(tx, sql`select count(*)::int as n from generate_series(1, 1000) a, generate_series(1, 10000) b`),
      ).toEqual([{ n: 10_000_000 }]);
    });
  });
});

describe('a statement of a read', () => {
  let database: Awaited<ReturnType<typeof connectEmbedded>>;
  beforeAll(async () => {
    database = await connectEmbedded({ readTimeout: 300 });
  });
  afterAll(() => database.close());

  test('ends after the limit for reads, and the next statement runs in the same session', async () => {
    await database.db.execute(sql`create temporary table mine (n int)`);
    expect(sqlState(await errorOf(database.reads.execute(ENDLESS)))).toBe('57014');
    expect(await rows(database.reads, sql`select * from mine`)).toEqual([]);
  });

  test('in a transaction is not mixed with those of others', async () => {
    const isolation = (db: Db) =>
      rows<{ transaction_isolation: string }>(db, sql`show transaction_isolation`).then(([row]) => row);
    let beside: Promise<unknown> | undefined;
    const inside = await database.reads.transaction(
      async (tx) => {
        beside = isolation(database.db);
        return [await isolation(tx), await isolation(tx)];
      },
      { isolationLevel: 'repeatable read' },
    );
    expect(inside).toEqual(Array(2).fill({ transaction_isolation: 'repeatable read' }));
    expect(await beside).toEqual({ transaction_isolation: 'read committed' });
  });
});

describe('a database in a directory', () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof connectEmbedded>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-thread-'));
    database = await connectEmbedded({ dataDir: join(folder, 'database'), statementTimeout: 500 });
    await database.db.execute(sql`create table soups (name text)`);
    await database.db.execute(sql`insert into soups values ('pea')`);
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const names = () => rows(database.db, sql`select name from soups`);

  test('whose thread ends is unavailable for running work, and has the committed data when it is opened again', async () => {
    const work = database.db.transaction(async (tx) => {
      await tx.execute(sql`insert into soups values ('leek')`);
      await tx.execute(CRASH);
    });
    expect(findUnavailability(await errorOf(work))).toBe('away');
    expect(await names()).toEqual([{ name: 'pea' }]);
  });

  test('is opened again when a statement does not end, and its caller gets SQLSTATE 57014', async () => {
    const deaf = sql`do $$ begin
      loop
        begin
          perform count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b;
        exception when query_canceled then null;
        end;
      end loop;
    end $$`;
    const error = await errorOf(database.db.execute(deaf));
    expect([sqlState(error), findUnavailability(error)]).toEqual(['57014', undefined]);
    expect(await names()).toEqual([{ name: 'pea' }]);
  });
});

test('a database in memory whose thread ends is lost: it is unavailable, and no new one is created', async () => {
  const database = await freshDatabase();
  await database.db.execute(sql`create table soups (name text)`);
  const errors = [
    await errorOf(database.db.execute(CRASH)),
    await errorOf(one(database.db)),
    await errorOf(one(database.db)),
  ];
  expect(errors.map(findUnavailability)).toEqual(['away', 'away', 'away']);
  await database.close();
});

test('closing ends the running statement', async () => {
  const database = await freshDatabase();
  const error = errorOf(database.db.execute(ENDLESS));
  await new Promise(setImmediate);
  await database.close();
  expect(await error).toBeDefined();
});

test('a process ends by itself when its database is closed', async () => {
  const holder = fileURLToPath(new URL('./directory-maker.ts', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'parley-thread-'));
  const child = spawn(process.execPath, ['--import', 'tsx', holder, join(folder, 'database')], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([0, null]);
  rmSync(folder, { recursive: true, force: true });
});
