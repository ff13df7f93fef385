// Three servers and a worker on a PostgreSQL of their own, which they reach through proxies that tests can break.
import { connectPostgres, type Database } from '@parley/db';
import type { Environment } from '../parley.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { ServerInstance } from './server-instance.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

const SERVERS = 3;
/** Enough for all processes, and few enough for a test to use up. */
export const MAX_CONNECTIONS = 80;

const environment = {
  PARLEY_SECRET: 'a secret of at least thirty-two characters',
  // In the proportions of the defaults, but shorter.
  PARLEY_DATABASE_TIMEOUTS:
    '{"statement":6000,"read":1500,"lock":1000,"idle_transaction":2000,"pool":1000,"connect":1000}',
};

export interface Installation {
  readonly cluster: Cluster;
  /** For commands that do not pass the proxies. */
  readonly direct: Environment;
  /** Between the processes and PostgreSQL; `listening` has only the connections that listen. */
  readonly proxies: Readonly<Record<'database' | 'listening', TcpProxy>>;
  readonly servers: readonly ServerInstance[];
  readonly worker: ServerInstance;
  /** Runs work in a session of its own, which faults may end. */
  administer(work: (admin: Database) => Promise<unknown>, connections?: number): Promise<void>;
  /** Waits for earlier faults of the same part of the installation. */
  inTurn(part: string, work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export async function startInstallation(): Promise<Installation> {
  const cluster = await startCluster({ synchronous_commit: 'on', max_connections: String(MAX_CONNECTIONS) });
  const direct = { ...environment, DATABASE_URL: cluster.url };
  const proxies = { database: await startTcpProxy(cluster.url), listening: await startTcpProxy(cluster.url) };
  const through = {
    ...environment,
    DATABASE_URL: proxies.database.addressOf(cluster.url),
    DATABASE_LISTEN_URL: proxies.listening.addressOf(cluster.url),
  };
  const servers = Array.from({ length: SERVERS }, () => new ServerInstance(through, 'serve'));
  const worker = new ServerInstance(through, 'work');
  const turns = new Map<string, Promise<unknown>>();
  return {
    cluster,
    direct,
    proxies,
    servers,
    worker,
    async administer(work, connections = 1) {
      const admin = connectPostgres(cluster.url, { connections });
      await work(admin).catch(() => {});
      await admin.close();
    },
    inTurn(part, work) {
      const done = (turns.get(part) ?? Promise.resolve()).then(work);
      turns.set(
        part,
        done.catch(() => {}),
      );
      return done;
    },
    async stop() {
      await Promise.all(Object.values(proxies).map((proxy) => proxy.cut()));
      await cluster.stop();
    },
  };
}
