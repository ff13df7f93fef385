// Faults of processes, of PostgreSQL and of the network between them. Each is over when its function returns.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@parley/db/sql';
import { type Installation, MAX_CONNECTIONS } from './installation.ts';
import type { TcpProxy } from './tcp-proxy.ts';

export interface FaultInjection {
  readonly name: string;
  /** How often it is drawn, compared with others. */
  readonly weight: number;
  /** `target`: the index of a server. */
  inject(installation: Installation, target: number): Promise<void>;
}

const HANG = 2_000;
const SECONDS = 3_000;
/** Milliseconds that requests reach PostgreSQL while their responses are held back. */
const IN_BETWEEN = 300;
const TABLES = ['messages', 'events', 'event_queues', 'realm_clock', 'idempotency_keys'];

const terminateAll = ({ administer }: Installation) =>
  administer(({ db }) =>
    db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`),
  );

/**
 * Uses all connections of PostgreSQL for a while. Those of the processes end, and a request that finds a free one keeps
 * it shortly.
 */
const takeConnections = ({ administer }: Installation): Promise<void> =>
  administer(async (admin) => {
    // It has its own connection before there are no more.
    await admin.db.execute(sql`select 1`);
    const end = performance.now() + SECONDS;
    const holding = administer(async ({ db }) => {
      const hold = async () => {
        while (performance.now() < end) {
          await db.execute(sql`select pg_sleep(${(end - performance.now()) / 1000})`).catch(() => pause(50));
        }
      };
      await Promise.all(Array.from({ length: MAX_CONNECTIONS }, hold));
    }, MAX_CONNECTIONS);
    // Another fault may end this session. The others stay held.
    const endOthers = async () => {
      await admin.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() and query not like 'select pg_sleep%'`);
      await pause(300);
    };
    while (performance.now() < end) await endOthers().catch(() => pause(50));
    await holding;
  });

const lockTable = ({ administer }: Installation, target: number) =>
  administer(({ db }) =>
    db.transaction(async (tx) => {
      await tx.execute(sql.raw(`lock table ${TABLES[target % TABLES.length]} in access exclusive mode`));
      await tx.execute(sql`select pg_sleep(${SECONDS / 1000})`);
    }),
  );

async function halfOpen(proxy: TcpProxy): Promise<void> {
  proxy.fallSilent('both');
  await pause(SECONDS);
  proxy.recover();
}

/** PostgreSQL receives the statements, and the processes lose their connections before the responses. */
async function cutResponses(proxy: TcpProxy): Promise<void> {
  proxy.fallSilent('responses');
  await pause(IN_BETWEEN);
  await proxy.cut();
  proxy.recover();
  await proxy.restore();
}

const fault = (name: string, inject: FaultInjection['inject'], weight = 1): FaultInjection => ({
  name,
  inject,
  weight,
});

export const faultInjections: readonly FaultInjection[] = [
  fault('kill -9 of a server', ({ servers }, target) => servers[target]?.restart('SIGKILL') ?? Promise.resolve(), 3),
  fault('kill -9 of the worker', ({ worker }) => worker.restart('SIGKILL')),
  fault(
    'kill -9 of all processes at once',
    async ({ servers, worker }) => {
      await Promise.all([...servers, worker].map((one) => one.restart('SIGKILL')));
    },
    2,
  ),
  fault('SIGTERM to a server', ({ servers }, target) => servers[target]?.restart('SIGTERM') ?? Promise.resolve()),
  fault('SIGTERM to the worker', ({ worker }) => worker.restart('SIGTERM')),
  fault('a server hangs for 2 s', ({ servers }, target) => servers[target]?.suspend(HANG) ?? Promise.resolve()),
  fault('the worker hangs for 2 s', ({ worker }) => worker.suspend(HANG)),
  fault('PostgreSQL ends every session', terminateAll),
  fault('PostgreSQL restarts (fast)', ({ inTurn, cluster }) => inTurn('cluster', () => cluster.restart('fast'))),
  fault('PostgreSQL crashes and restarts (immediate)', ({ inTurn, cluster }) =>
    inTurn('cluster', () => cluster.restart('immediate')),
  ),
  fault('PostgreSQL has no free connection for 3 s', takeConnections),
  fault('a table is locked for 3 s', lockTable),
  fault('connections to PostgreSQL are cut between request and response', ({ inTurn, proxies }) =>
    inTurn('database', () => cutResponses(proxies.database)),
  ),
  fault('the network to PostgreSQL drops packets for 3 s', ({ inTurn, proxies }) =>
    inTurn('database', () => halfOpen(proxies.database)),
  ),
  fault('the connections that listen are dead for 3 s', ({ inTurn, proxies }) =>
    inTurn('listening', () => halfOpen(proxies.listening)),
  ),
];
