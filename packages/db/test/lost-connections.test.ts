// PostgreSQL ends connections: at a restart, at an operator's command, when a network fails.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';
import { canRetryTransaction, connectPostgres, type Database, findUnavailability, rows } from '../src/index.ts';

let admin: TestDatabase;
let database: Database;
beforeAll(async () => {
  admin = await freshDatabase();
  if (!onPostgres) return;
  database = connectPostgres(admin.url ?? '', { connections: 4, connectTimeout: 500 });
  await database.db.execute(sql`create table kept (n int)`);
});
afterAll(async () => {
  await database?.close();
  await admin.close();
});

const endConnections = () =>
  admin.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like '%kept%' and pid <> pg_backend_pid()`);
const countRows = async () => (await rows(database.db, sql`select n from kept`)).length;

describe.runIf(onPostgres)('when PostgreSQL ends the connections of a process', () => {
  test('its next read succeeds', async () => {
    await Promise.all([1, 2, 3, 4].map(() => countRows()));
    await endConnections();
    expect(await Promise.all([1, 2, 3, 4].map(() => countRows()))).toEqual([0, 0, 0, 0]);
  });

  test('it restores all its connections, also where transactions were about to begin', async () => {
    const only = connectPostgres(admin.url ?? '', { connections: 1 });
    for (let n = 0; n < 20; n++) {
      await rows(only.db, sql`select n from kept`);
      await Promise.all([endConnections(), only.db.transaction(async () => {}).catch(() => {})]);
    }
    expect(await rows(only.db, sql`select n from kept`)).toEqual([]);
    await only.close();
  });

  test('it can close the database at the same time', async () => {
    const closing = connectPostgres(admin.url ?? '', { connections: 4 });
    await Promise.all([1, 2, 3, 4].map(() => rows(closing.db, sql`select n from kept`)));
    const ending = admin.db.execute(sql`do $$ begin
      perform pg_sleep(0.2);
      perform pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like '%kept%' and pid <> pg_backend_pid();
    end $$`);
    await pause(50);
    // This process reads that its connections have ended only after it has begun to close them.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    await closing.close();
    await ending;
  });

  test('its open transaction fails, can be repeated, and none of its statements runs outside of it', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const error = await database.db
      .transaction(async (tx) => {
        await tx.execute(sql`insert into kept values (1)`);
        await endConnections();
        late = Promise.resolve(tx.execute(sql`insert into kept values (2)`))
          .catch(() => tx.execute(sql`insert into kept values (3)`))
          .catch(() => database.db.execute(sql`select 1`))
          .then(() => tx.execute(sql`insert into kept values (4)`));
        late.catch(() => {});
        await tx.execute(sql`insert into kept values (5)`);
      })
      .catch((caught: unknown) => caught);
    expect([canRetryTransaction(error), findUnavailability(error)]).toEqual([true, 'away']);
    await expect(late).rejects.toThrow();
    expect(await countRows()).toBe(0);
  });
});

test.runIf(onPostgres)('a process without a database fails at once, with an error that says so', async () => {
  const nowhere = connectPostgres('postgres://nobody@127.0.0.1:1/none', { connections: 1 });
  const error = await rows(nowhere.db, sql`select 1`).catch((caught: unknown) => caught);
  expect(findUnavailability(error)).toBe('away');
  await nowhere.close();
});

test.runIf(onPostgres)(
  'the error of a statement that waits for a lock too long is not that of too much work',
  async () => {
    const impatient = connectPostgres(admin.url ?? '', { connections: 1, lockTimeout: 1 });
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`lock table kept in access exclusive mode`);
      const error = await rows(impatient.db, sql`select n from kept`).catch((caught: unknown) => caught);
      expect(findUnavailability(error)).toBe('locked');
    });
    await impatient.close();
  },
);

test.runIf(onPostgres)('a process listens again after its connection was lost', async () => {
  const heard: string[] = [];
  let resolve = () => {};
  const hears = new Promise<void>((done) => {
    resolve = done;
  });
  await database.channel.listen((text) => {
    heard.push(text);
    resolve();
  });
  await admin.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'listen%'`);
  const sending = setInterval(() => void admin.channel.send('again').catch(() => {}), 50);
  await hears;
  clearInterval(sending);
  expect(heard[0]).toBe('again');
});
