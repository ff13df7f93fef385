// The host of a server vanishes, or the server hangs, during a transaction. It closes no connection, and PostgreSQL
// keeps the locks.
import { connectPostgres, type Database, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createPostgresEnvironment,
  createRealm,
  endServers,
  type Process,
  startServer,
  type TestEnvironment,
} from '../parley.ts';
import { acknowledgedReach, ascending, createLedger, startSender, storedIds } from './ledger.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

vi.setConfig({ testTimeout: 300_000 });
afterAll(endServers);

/**
 * Milliseconds. PostgreSQL ends the transaction after 5 s (`idle_transaction`); then the requests that wait for its
 * locks continue.
 */
const BOUND = 8_000;
const SENDERS = 4;
const ENOUGH = 40;

let environment: TestEnvironment;
let proxy: TcpProxy;
let admin: Database;
beforeEach(async () => {
  environment = await createPostgresEnvironment();
  const direct = environment.variables.DATABASE_URL ?? '';
  proxy = await startTcpProxy(direct);
  admin = connectPostgres(direct, { connections: 2 });
});
afterEach(async () => {
  await proxy.cut();
  await admin.close();
  await environment.remove();
});

/** The number of transactions of servers in this state, without a statement or waiting for a lock. */
const countTransactions = async (state: 'idle in transaction' | 'waiting') => {
  const where =
    state === 'waiting'
      ? sql`wait_event_type = 'Lock'`
      : sql`state = 'idle in transaction' and wait_event = 'ClientRead'`;
  const found = await rows(
    admin.db,
    sql`select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and query like '%with seen as materialized%' and ${where}`,
  );
  return found.length;
};

/** Makes the server begin to send a message, and calls `vanish` while its transaction waits: it never continues. */
async function vanishWithin(server: Process, send: () => Promise<unknown>, vanish: (server: Process) => void) {
  let request: Promise<unknown> = Promise.resolve();
  await admin.db.transaction(async (tx) => {
    // The statement before the last reads topics; the last one commits.
    await tx.execute(sql`lock table topics in access exclusive mode`);
    request = send().catch(() => {});
    await vi.waitUntil(async () => (await countTransactions('waiting')) === 1, { timeout: 30_000 });
    vanish(server);
  });
  await vi.waitUntil(async () => (await countTransactions('idle in transaction')) === 1, {
    timeout: 30_000,
    interval: 10,
  });
  return { request };
}

describe.runIf(onPostgres)('in the middle of a transaction', () => {
  test.each([
    ['whose packets are lost', () => proxy.fallSilent('both')],
    ['that hangs', ({ child }: Process) => void child.kill('SIGSTOP')],
  ])('a server %s holds its locks for 5 seconds: other senders go on without an error', async (_, vanish) => {
    const { variables } = environment;
    const olga = await createRealm(variables);
    const vanishing = await startServer({
      ...variables,
      DATABASE_URL: proxy.addressOf(variables.DATABASE_URL ?? ''),
    });
    const other = await startServer(variables);
    const api = apiOf(other, olga);
    await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
    const lost = { type: 'stream', to: 'kitchen', topic: 'soup', content: 'lost' } as const;
    const { request } = await vanishWithin(vanishing, () => apiOf(vanishing, olga).sendMessage(lost), vanish);
    const begun = performance.now();
    const ledger = createLedger();
    const senders = Array.from({ length: SENDERS }, (__, n) => startSender(other, olga, `sender ${n}`, ledger));
    const failed = Promise.race(senders.map(({ done }) => done));
    await Promise.race([acknowledgedReach(ledger, 1), failed]);
    const waited = performance.now() - begun;
    console.log(`The first message was acknowledged after ${(waited / 1000).toFixed(1)} s.`);
    await Promise.race([acknowledgedReach(ledger, ENOUGH), failed]);
    for (const sender of senders) sender.stop();
    await Promise.all(senders.map(({ done }) => done));
    expect([[...ledger.codes], ledger.lost]).toEqual([[], []]);
    expect(waited).toBeLessThan(BOUND);
    expect(await storedIds(api)).toEqual(ascending(ledger.acknowledged));
    await vanishing.end('SIGKILL');
    await request;
    expect(await other.end('SIGTERM')).toBe(0);
  });
});
