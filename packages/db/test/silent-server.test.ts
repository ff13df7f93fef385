// A server that does not respond: packets are lost, or its process is stopped. The operating system would wait for
// minutes.
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';
import { startTcpProxy, type TcpProxy } from '../../server/test/faults/tcp-proxy.ts';
import {
  canRetryTransaction,
  connectPostgres,
  type Database,
  findUnavailability,
  type PostgresOptions,
  rows,
  sqlState,
} from '../src/index.ts';

vi.setConfig({ testTimeout: 60_000 });

let admin: TestDatabase;
let proxy: TcpProxy;
const opened: Database[] = [];
beforeAll(async () => {
  admin = await freshDatabase();
  if (!onPostgres) return;
  await admin.db.execute(sql`create table kept (n int)`);
  proxy = await startTcpProxy(admin.url ?? '');
});
afterEach(async () => {
  proxy?.serveNew();
  for (const database of opened.splice(0)) await database.close();
});
afterAll(async () => {
  await proxy?.cut();
  await admin.close();
});

/** Through the proxy. */
function connect(options: PostgresOptions = {}): Database {
  const database = connectPostgres(proxy.addressOf(admin.url ?? ''), {
    connections: 2,
    connectTimeout: 1_000,
    statementTimeout: 300,
    margin: 300,
    ...options,
  });
  opened.push(database);
  return database;
}

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
const factsOf = (error: unknown) => [sqlState(error), findUnavailability(error), canRetryTransaction(error)];
const listRows = async () =>
  (await rows<{ n: number }>(admin.db, sql`select n from kept order by n`)).map(({ n }) => n);

describe.runIf(onPostgres)('when the server does not respond', () => {
  test('a statement fails, is not repeated, and the next one has a new connection', async () => {
    const { db } = connect();
    await db.execute(sql`select 1`);
    proxy.fallSilent('both');
    expect(factsOf(await errorOf(rows(db, sql`select n from kept`)))).toEqual(['08000', 'away', false]);
    proxy.serveNew();
    expect(await rows(db, sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  test('a transaction fails before its commit, and nothing of it is stored', async () => {
    const { db } = connect();
    const error = await errorOf(
      db.transaction(async (tx) => {
        await tx.execute(sql`insert into kept values (1)`);
        proxy.fallSilent('both');
        await tx.execute(sql`insert into kept values (2)`);
      }),
    );
    expect(factsOf(error)).toEqual(['08000', 'away', false]);
    expect(await listRows()).toEqual([]);
  });

  test('a commit without a response may have been carried out', async () => {
    const { db } = connect();
    const error = await errorOf(
      db.transaction(async (tx) => {
        await tx.execute(sql`insert into kept values (3)`);
        proxy.fallSilent('responses');
      }),
    );
    expect(factsOf(error)).toEqual(['08007', 'away', false]);
    await vi.waitUntil(async () => (await listRows()).length === 1, 30_000);
  });

  test('a new connection that is accepted without a response fails', async () => {
    const { db } = connect();
    proxy.fallSilent('both');
    expect(findUnavailability(await errorOf(rows(db, sql`select 1`)))).toBe('away');
  });

  test('closing does not wait for it', async () => {
    const database = connect();
    await database.channel.listen(() => {});
    await database.db.execute(sql`select 1`);
    proxy.fallSilent('both');
    opened.splice(opened.indexOf(database), 1);
    await database.close();
  });

  test('the listening connection is replaced, also if nothing closes the old one', async () => {
    const { channel } = connect({ pingInterval: 100 });
    const heard: string[] = [];
    await channel.listen((text) => void heard.push(text));
    await admin.channel.send('before');
    await vi.waitUntil(() => heard.includes('before'), 30_000);
    proxy.fallSilent('both');
    proxy.serveNew();
    await vi.waitUntil(
      async () => {
        await admin.channel.send('after');
        return heard.includes('after');
      },
      { timeout: 30_000, interval: 100 },
    );
  });
});

test.runIf(onPostgres)('a transaction can give its statements more time', async () => {
  const { db } = connect({ statementTimeout: 100, margin: 100 });
  await db.transaction(async (tx) => {
    await tx.execute(sql.raw('set local statement_timeout = 0'));
    await tx.execute(sql`select pg_sleep(1)`);
  });
});

test.runIf(onPostgres)('a request that waits too long for a connection fails, and the next one has it', async () => {
  const { db } = connect({ connections: 1, connectTimeout: 200, poolTimeout: 200, statementTimeout: 10_000 });
  await db.transaction(async (tx) => {
    await tx.execute(sql`select 1`);
    expect(factsOf(await errorOf(rows(db, sql`select 1`)))).toEqual(['53300', 'busy', false]);
  });
  expect(await rows(db, sql`select 1 as one`)).toEqual([{ one: 1 }]);
});
