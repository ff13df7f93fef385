// PostgreSQL ends every connection, again and again, while users write.
import { connectPostgres } from '@parley/db';
import { sql } from '@parley/db/sql';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import { apiOf, createPostgresEnvironment, createRealm, endServers, startServer } from '../parley.ts';
import { acknowledgedReach, ascending, createLedger, startSender, storedIds } from './ledger.ts';

vi.setConfig({ testTimeout: 600_000 });
afterAll(endServers);

const SERVERS = 2;
const SENDERS = 4;
const ROUNDS = process.env.PARLEY_TEST_LONG === undefined ? 12 : 100;
/** Most messages between two terminations. */
const PAUSE = 12;

const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 2 ** 31);

describe.runIf(onPostgres)('servers whose connections PostgreSQL ends while users write', () => {
  test('do not end, and store each acknowledged message once', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const olga = await createRealm(variables);
    const servers = await Promise.all(Array.from({ length: SERVERS }, () => startServer(variables)));
    const [first = await startServer(variables)] = servers;
    const api = apiOf(first, olga);
    await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
    const ledger = createLedger();
    const senders = Array.from({ length: SENDERS }, (_, n) =>
      startSender(servers[n % SERVERS] ?? first, olga, `sender ${n}`, ledger),
    );
    const admin = connectPostgres(variables.DATABASE_URL ?? '', { connections: 1 });
    for (const pause of fc.sample(fc.integer({ min: 1, max: PAUSE }), { seed, numRuns: ROUNDS })) {
      const goal = ledger.acknowledged.length + pause;
      await Promise.race([acknowledgedReach(ledger, goal), ...senders.map(({ done }) => done)]);
      await admin.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`);
    }
    for (const sender of senders) sender.stop();
    await Promise.all(senders.map(({ done }) => done));
    expect(await storedIds(api), `seed: ${seed}`).toEqual(ascending(ledger.acknowledged));
    expect(ledger.lost, `seed: ${seed}`).toEqual([]);
    expect(servers.map(({ child }) => child.exitCode)).toEqual(servers.map(() => null));
    for (const server of servers) expect(await server.end('SIGTERM')).toBe(0);
    await admin.close();
    await remove();
  });
});
