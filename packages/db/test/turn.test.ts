// A job runs in one process at a time. A process that vanishes, or hangs, does not keep it from the others.
import { EventEmitter, once } from 'node:events';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';
import { startTcpProxy, type TcpProxy } from '../../server/test/faults/tcp-proxy.ts';
import { connectPostgres, type Database, findUnavailability, rows, withTurn } from '../src/index.ts';

/** Milliseconds; the default is 30 s. */
const SILENCE = 400;

let admin: TestDatabase;
let proxy: TcpProxy;
let holder: Database;
beforeAll(async () => {
  admin = await freshDatabase();
  if (!onPostgres) return;
  proxy = await startTcpProxy(admin.url ?? '');
  // A shorter limit for idle transactions of requests than the time of the turn.
  const options = { connections: 2, idleTransactionTimeout: 100, statementTimeout: 300, margin: 300 };
  holder = connectPostgres(proxy.addressOf(admin.url ?? ''), options);
});
afterAll(async () => {
  await holder?.close();
  await proxy?.cut();
  await admin.close();
});

/** Holds the turn until `finish` is called. */
function holdTurn() {
  const changes = new EventEmitter();
  const begun = once(changes, 'begun');
  const work = async () => {
    changes.emit('begun');
    await once(changes, 'finish');
  };
  const done = withTurn(holder, 'job', work, SILENCE);
  return { begun, finish: () => changes.emit('finish'), done };
}
const takeTurn = () => withTurn(admin, 'job', async () => {}, SILENCE);

describe.runIf(onPostgres)('the turn of a job', () => {
  test('is kept for as long as its work takes', async () => {
    const { begun, finish, done } = holdTurn();
    await begun;
    // Longer than a transaction may be idle.
    await admin.db.execute(sql`select pg_sleep(${(3 * SILENCE) / 1000})`);
    expect(await takeTurn()).toBe(false);
    finish();
    expect(await done).toBe(true);
    expect(await takeTurn()).toBe(true);
  });

  test('of a process that PostgreSQL cannot reach passes to another one', async () => {
    const { begun, finish, done } = holdTurn();
    await begun;
    proxy.fallSilent('both');
    await vi.waitUntil(takeTurn, { timeout: 30_000 });
    finish();
    expect(findUnavailability(await done.catch((error: unknown) => error))).toBe('away');
    proxy.serveNew();
  });
});

test.runIf(onPostgres)('PostgreSQL checks whether the host of a connection still exists', async () => {
  const names = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout'];
  const settings = sql`select name, setting::int from pg_settings where name = any(${sql.param(names)}::text[]) order by name`;
  const expected = {
    tcp_keepalives_count: 3,
    tcp_keepalives_idle: 10,
    tcp_keepalives_interval: 5,
    tcp_user_timeout: 20_000,
  };
  const found = await rows<{ name: string; setting: number }>(admin.db, settings);
  expect(Object.fromEntries(found.map(({ name, setting }) => [name, setting]))).toEqual(expected);
  const session = await admin.openSession?.();
  expect(await session?.query('show tcp_user_timeout')).toEqual([{ tcp_user_timeout: '20000' }]);
  await session?.close();
});
