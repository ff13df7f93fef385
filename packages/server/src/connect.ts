import { connectPostgres, type Database } from '@parley/db';
import type { Config } from './config/index.ts';

/** Opens a pool of so many connections to PostgreSQL, with the time limits of the configuration. */
export function connectTo(url: string, config: Config, connections: number): Database {
  const { statement, read, lock, idle_transaction, connect, pool } = config.database_timeouts;
  return connectPostgres(url, {
    connections,
    connectTimeout: connect,
    poolTimeout: pool,
    statementTimeout: statement,
    readTimeout: read,
    lockTimeout: lock,
    idleTransactionTimeout: idle_transaction,
    listenUrl: config.database_listen_url,
  });
}
