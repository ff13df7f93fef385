// The primary is lost, and a standby replaces it: by the connection string, or behind HAProxy.
import { type Calls, createClient } from '@parley/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import { hasHaproxy, primaryByPatroni, primaryFirst, startHaproxy } from '../haproxy.ts';
import { hostFetch } from '../host-fetch.ts';
import { apiOf, createRealm, endServers, type Login, type Process, parley, startServer } from '../parley.ts';
import { hasPatroni, startPatroni } from '../patroni.ts';
import {
  acknowledgedReach,
  ascending,
  createLedger,
  type Ledger,
  type Sender,
  startSender,
  storedIds,
} from './ledger.ts';
import { hasPostgresPrograms, type PostgresPair, startPair } from './postgres-programs.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const isLong = process.env.PARLEY_TEST_LONG !== undefined;
const SERVERS = 2;
const SENDERS = 4;
const ENOUGH = 60;

interface Route {
  readonly url: string;
  stop(): Promise<void>;
}

async function severalHosts({ primary, standby }: PostgresPair): Promise<Route> {
  const url = primary.replace(/(127.*)\/postgres$/, `$1,${new URL(standby).host}/postgres`);
  return { url, stop: async () => {} };
}
type StandbyMode = 'synchronous' | 'asynchronous';
interface RouteCase {
  open(pair: PostgresPair): Promise<Route>;
  readonly canRun: boolean;
  /** The one that a short run tests. */
  readonly short: StandbyMode;
}
const routes: [string, RouteCase][] = [
  ['with both hosts in DATABASE_URL (needs initdb)', { open: severalHosts, canRun: true, short: 'asynchronous' }],
  [
    'behind HAProxy (needs initdb and HAProxy)',
    {
      open: ({ primary, standby }) => startHaproxy(primary, primaryFirst(primary, standby)),
      canRun: hasHaproxy,
      short: 'synchronous',
    },
  ],
];

let pair: PostgresPair;
let route: Route | undefined;
afterEach(async () => {
  await endServers();
  await route?.stop();
  route = undefined;
});

interface FailoverSetup {
  readonly olga: Login;
  readonly servers: readonly Process[];
  readonly api: Calls;
  readonly ledger: Ledger;
  readonly senders: readonly Sender[];
  /** Until the writers have this many more messages acknowledged. */
  goOn(more?: number): Promise<void>;
}

const secret = { PARLEY_SECRET: 'a secret of at least thirty-two characters' };

async function startPairSetup(
  open: (pair: PostgresPair) => Promise<Route>,
  isSynchronous: boolean,
): Promise<FailoverSetup> {
  const olga = await createRealm({ ...secret, DATABASE_URL: pair.primary });
  await pair.stream(isSynchronous);
  route = await open(pair);
  return startSetup(route.url, olga);
}

async function startSetup(url: string, olga: Login): Promise<FailoverSetup> {
  const environment = { ...secret, DATABASE_URL: url };
  const servers = await Promise.all(Array.from({ length: SERVERS }, () => startServer(environment)));
  const [server] = servers as [Process];
  const api = apiOf(server, olga);
  await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
  const ledger = createLedger();
  const senders = Array.from({ length: SENDERS }, (_, n) =>
    startSender(servers[n % SERVERS] ?? server, olga, `sender ${n}`, ledger),
  );
  const failed = Promise.race(senders.map(({ done }) => done));
  const goOn = (more = ENOUGH) =>
    Promise.race([acknowledgedReach(ledger, ledger.acknowledged.length + more), failed]).then(() => {});
  return { olga, servers, api, ledger, senders, goOn };
}

/** Loses the primary. Returns the milliseconds until a write succeeds, after all senders have tried. */
async function failOver({ ledger, goOn }: FailoverSetup, losePrimary: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await losePrimary();
  const before = ledger.acknowledged.length;
  // A response in flight may still be read.
  await goOn(SENDERS + 1);
  const first = ledger.times[before + SENDERS] ?? performance.now();
  await goOn();
  return first - begun;
}

const promoteByHand = async () => pair.failOver();

async function stop({ senders, servers, ledger }: FailoverSetup): Promise<void> {
  for (const sender of senders) sender.stop();
  await Promise.all(senders.map(({ done }) => done));
  expect([[...ledger.codes].filter((code) => code !== 'SERVICE_UNAVAILABLE'), ledger.lost]).toEqual([[], []]);
  for (const { url } of servers) {
    await vi.waitUntil(async () => (await fetch(`${url}/readyz`)).status === 200, { timeout: 60_000 });
  }
}

const report = (what: string, milliseconds: number, { acknowledged }: Ledger, lost: number) =>
  console.log(
    `${what}: ${lost} of ${acknowledged.length} acknowledged messages lost, writes served after ${(milliseconds / 1000).toFixed(1)} s`,
  );

describe.runIf(onPostgres && hasPostgresPrograms).each(routes)(
  'a failover to a standby, %s',
  (name, { open, canRun, short }) => {
    const testMode = (mode: StandbyMode, title: string, run: () => Promise<void>) => {
      if (isLong || mode === short) test.runIf(canRun)(title, run);
    };
    beforeEach(async () => {
      pair = await startPair();
    });
    afterEach(() => pair.remove());

    testMode('synchronous', 'that is synchronous loses no acknowledged message', async () => {
      const setup = await startPairSetup(open, true);
      await setup.goOn();
      const milliseconds = await failOver(setup, promoteByHand);
      await stop(setup);
      expect(await storedIds(setup.api)).toEqual(ascending(setup.ledger.acknowledged));
      report(`synchronous, ${name}`, milliseconds, setup.ledger, 0);
      for (const server of setup.servers) expect(await server.end('SIGTERM')).toBe(0);
    });

    testMode(
      'asynchronous',
      'that is asynchronous loses what it had not received, tells clients to start anew, and gives no id twice',
      async () => {
        const setup = await startPairSetup(open, false);
        const { servers, olga, api, ledger } = setup;
        const [server] = servers as [Process];
        const client = createClient('http://localhost', {
          login: { email: olga.email, apiKey: olga.api_key },
          fetch: hostFetch(Number(new URL(server.url).port)),
        });
        const events = client.events({ types: ['message'] });
        await events.open();
        await setup.goOn();
        pair.holdBack();
        const acknowledgedBefore = ledger.acknowledged.length;
        await setup.goOn();
        const milliseconds = await failOver(setup, promoteByHand);
        await stop(setup);
        const stored = await storedIds(api);
        const known = new Set(stored);
        const lost = ledger.acknowledged.filter((id) => !known.has(id));
        expect(lost.length).toBeGreaterThanOrEqual(ENOUGH - SENDERS);
        expect(lost.every((id) => ledger.acknowledged.indexOf(id) >= acknowledgedBefore - ENOUGH / 2)).toBe(true);
        expect(new Set(ledger.acknowledged).size).toBe(ledger.acknowledged.length);
        expect(stored).toEqual(ascending(ledger.acknowledged.filter((id) => known.has(id))));
        const newest = Math.max(...lost);
        expect(stored.filter((id) => id > newest).length).toBeGreaterThanOrEqual(ENOUGH);
        await expectResync(events, stored.at(-1) ?? 0, api);
        report(`asynchronous, ${name}`, milliseconds, ledger, lost.length);
        for (const one of servers) expect(await one.end('SIGTERM')).toBe(0);
      },
    );
  },
);

interface ClientEvents extends AsyncIterable<{ readonly type: string }> {
  return(): Promise<unknown>;
}

/** The client registers again by itself, and receives the next message. */
async function expectResync(events: ClientEvents, newest: number, api: Calls): Promise<void> {
  let resyncs = 0;
  const { id } = await api.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'after' });
  expect(id).toBeGreaterThan(newest);
  for await (const event of events) {
    if (event.type === 'resync') {
      resyncs++;
      break;
    }
  }
  await events.return();
  expect(resyncs).toBe(1);
}

/** Patroni needs twenty seconds to notice that the primary is lost. */
if (isLong) {
  describe.runIf(onPostgres)('a failover by Patroni', () => {
    test.runIf(hasPatroni && hasHaproxy)(
      'to a synchronous standby loses no acknowledged message (needs Patroni, etcd and HAProxy)',
      async () => {
        const cluster = await startPatroni();
        try {
          const [first] = cluster.nodes;
          route = await startHaproxy(first?.url ?? '', primaryByPatroni(cluster.nodes));
          await vi.waitUntil(
            async () => (await parley(['migrate'], { ...secret, DATABASE_URL: route?.url ?? '' })).code === 0,
            {
              timeout: 60_000,
            },
          );
          const setup = await startSetup(route.url, await createRealm({ ...secret, DATABASE_URL: route.url }));
          await setup.goOn();
          const milliseconds = await failOver(setup, cluster.killPrimary);
          await stop(setup);
          expect(await storedIds(setup.api)).toEqual(ascending(setup.ledger.acknowledged));
          report('synchronous, by Patroni', milliseconds, setup.ledger, 0);
          for (const server of setup.servers) expect(await server.end('SIGTERM')).toBe(0);
        } finally {
          await cluster.stop();
        }
      },
    );
  });
}
