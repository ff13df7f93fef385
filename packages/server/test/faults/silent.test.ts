// The database does not respond and closes no connection: a network that drops packets, a PostgreSQL that hangs.
import { type Calls, ParleyError } from '@parley/client';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import { apiOf, createPostgresEnvironment, createRealm, endServers, type Process, startServer } from '../parley.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { acknowledgedReach, ascending, createLedger, startSender, storedIds } from './ledger.ts';
import { startTcpProxy } from './tcp-proxy.ts';

vi.setConfig({ testTimeout: 300_000 });
let cluster: Cluster | undefined;
afterAll(async () => {
  await endServers();
  await cluster?.stop();
});

const PARLEY_DATABASE_TIMEOUTS = '{"statement":1000,"lock":900,"pool":1000,"connect":1000}';
/** As many as a process has connections, and more than that. */
const CONNECTIONS = 10;
const REQUESTS = 25;
const SENDERS = 4;

const message = { type: 'stream', to: 'kitchen', topic: 'soup', content: 'hello' } as const;

/** The status, and the retry time of the response. */
const outcomeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'success',
    (error: unknown) => {
      if (!(error instanceof ParleyError)) throw error;
      return { status: error.status, code: error.code, retryAfter: error.retryAfter };
    },
  );
const unavailable = { status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: expect.any(Number) };

const readiness = async ({ url }: Process) => (await fetch(`${url}/readyz`)).status;

const request = (api: Calls, n: number) => (n % 2 === 0 ? api.sendMessage(message) : api.getStreams());

describe.runIf(onPostgres)('a server whose database does not respond', () => {
  test('returns 503 for every request, is not ready at once, and serves again without a restart', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const direct = variables.DATABASE_URL ?? '';
    const proxy = await startTcpProxy(direct);
    const olga = await createRealm(variables);
    const server = await startServer({
      ...variables,
      PARLEY_DATABASE_TIMEOUTS,
      DATABASE_URL: proxy.addressOf(direct),
    });
    const api = apiOf(server, olga);
    await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
    // All connections are open, and idle.
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => outcomeOf(request(api, n))));
    proxy.fallSilent('both');
    const outcomes: unknown[] = [];
    const requests = Array.from({ length: REQUESTS }, (_, n) =>
      outcomeOf(request(api, n)).then((outcome) => outcomes.push(outcome)),
    );
    expect(await readiness(server)).toBe(503);
    // Others still wait for the database.
    expect(outcomes.length).toBeLessThan(REQUESTS);
    await Promise.all(requests);
    expect(outcomes).toEqual(Array.from({ length: REQUESTS }, () => unavailable));
    proxy.serveNew();
    await vi.waitUntil(async () => (await readiness(server)) === 200, { timeout: 60_000 });
    await vi.waitUntil(async () => (await outcomeOf(api.sendMessage(message))) === 'success', { timeout: 60_000 });
    expect(await server.end('SIGTERM')).toBe(0);
    await proxy.cut();
    await remove();
  });

  test('stores each acknowledged message once, also when PostgreSQL hangs and goes on', async () => {
    const own = await startCluster();
    cluster = own;
    const environment = {
      DATABASE_URL: own.url,
      PARLEY_SECRET: 'a secret of at least thirty-two characters',
      PARLEY_DATABASE_TIMEOUTS,
    };
    const olga = await createRealm(environment);
    const servers = await Promise.all([startServer(environment), startServer(environment)]);
    const [server] = servers;
    const api = apiOf(server, olga);
    await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
    const ledger = createLedger();
    const senders = Array.from({ length: SENDERS }, (_, n) =>
      startSender(servers[n % 2] ?? server, olga, `sender ${n}`, ledger),
    );
    for (let round = 1; round <= 2; round++) {
      await Promise.race([acknowledgedReach(ledger, 20 * round), ...senders.map(({ done }) => done)]);
      await hang(own, async () => {
        ledger.codes.clear();
        expect(await readiness(server)).toBe(503);
        await vi.waitUntil(() => ledger.codes.size > 0, { timeout: 120_000 });
      });
    }
    await Promise.race([
      acknowledgedReach(ledger, ledger.acknowledged.length + 20),
      ...senders.map(({ done }) => done),
    ]);
    for (const sender of senders) sender.stop();
    await Promise.all(senders.map(({ done }) => done));
    expect(await storedIds(api)).toEqual(ascending(ledger.acknowledged));
    expect([[...ledger.codes], ledger.lost]).toEqual([['SERVICE_UNAVAILABLE'], []]);
    for (const one of servers) expect(await one.end('SIGTERM')).toBe(0);
  });
});

async function hang({ pause, resume }: Cluster, work: () => Promise<void>): Promise<void> {
  pause();
  try {
    await work();
  } finally {
    resume();
  }
}
