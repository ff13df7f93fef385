import type { SQL } from 'drizzle-orm';
import { drizzle as overPostgres } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import type { ClientBase } from 'pg';
import { createDataDirectory } from './data-directory.ts';
import { EmbeddedServer } from './embedded/connection.ts';
import { CallerLease } from './postgres/caller-lease.ts';
import { type DirectSession, openDirectSession } from './postgres/direct-session.ts';
import { Listener } from './postgres/listener.ts';
import { type PoolOptions, PostgresPool } from './postgres/pool.ts';
import { CONTROL } from './postgres/session.ts';
import type { Delay } from './postgres/session-options.ts';
import { buildQuery } from './prepared/build-query.ts';
import { Statement, sessionOf } from './prepared/statement.ts';

/**
 * A connection or an open transaction: queries accept either. Drizzle does not know the tables: it would make a builder
 * of relational queries for each of them, for each transaction.
 */
export type Db = PgDatabase<PgQueryResultHKT>;

/** Sends notifications to the other processes on the same database, and receives theirs. Nothing is stored. */
export interface Channel {
  send(text: string): Promise<void>;
  listen(onNotification: (text: string) => void): Promise<void>;
}

export interface Database {
  readonly kind: 'embedded' | 'postgres';
  readonly db: Db;
  /** The same connections for reads: their statements are canceled after `readTimeout`. */
  readonly reads: Db;
  /** The number of connections that requests and jobs share. The embedded database runs one transaction at a time. */
  readonly connections: number;
  readonly channel: Channel;
  /** A separate connection for health checks, with a short timeout, so that it does not wait for requests. */
  readonly probe: Db;
  /** Says whether organizations and accounts can change now. Absent for the embedded database: they always can. */
  readonly callerLease?: Pick<CallerLease, 'settle' | 'use' | 'version'> | undefined;
  /** A connection of its own, for statements that cannot run in a transaction; absent for the embedded database. */
  readonly openSession?: () => Promise<DirectSession>;
  /** The directory of an embedded database that is not in memory. */
  readonly directory: string | undefined;
  /**
   * Registers a check that runs on a new connection before it is used, if it leads to another database or server than
   * the previous ones.
   */
  onNewServer(check: CheckServer): void;
  /** The server that the connections lead to; undefined for the embedded database. */
  describe(): Promise<ConnectionFacts | undefined>;
  close(): Promise<void>;
}

/** False: the database has no tables yet, so the next connection is checked as well. */
export type CheckServer = (db: Db) => Promise<boolean>;

export interface PostgresOptions extends Partial<Omit<PoolOptions, 'cancel' | 'onServer'>> {
  /** The address to listen at, if the other address is a pooler. */
  readonly listenUrl?: string | undefined;
  /** The timeout of a statement of a read, in milliseconds. */
  readonly readTimeout?: number;
  /** Milliseconds between two checks whether the server of the listening connection still responds. */
  readonly pingInterval?: number;
  /** Called with the text of every statement except `begin` and `commit`, to count them. */
  readonly onStatement?: OnStatement;
}

/** The server of a connection, and the consequences. */
export interface ConnectionFacts {
  /** Whether a pooler such as PgBouncer is in between. */
  readonly isPooled: boolean;
  readonly isPrepared: boolean;
  /** Whether other processes can wake this one. */
  readonly listens: boolean;
}

export type OnStatement = (sql: string) => void;

const logger = (onStatement?: OnStatement) => (onStatement ? { logger: { logQuery: onStatement } } : {});

const NAME = 'parley';

const overPool = (pool: Pick<PostgresPool, 'connect' | 'query'>, onStatement?: OnStatement) =>
  overPostgres(pool as unknown as pg.Pool, logger(onStatement)) as unknown as Db;

const overClient = (client: ClientBase) => overPostgres(client as pg.Client) as unknown as Db;

const withoutControl =
  (onStatement: OnStatement): OnStatement =>
  (statement) => {
    if (!CONTROL.test(statement)) onStatement(statement);
  };

const DEFAULTS = {
  connections: 10,
  connectTimeout: 2_000,
  poolTimeout: 10_000,
  pingInterval: 10_000,
  statementTimeout: 60_000,
  readTimeout: 5_000,
  lockTimeout: 10_000,
  idleTransactionTimeout: 60_000,
};

/** A health check fails after a second, and the next one uses a new connection. */
const PROBE = { connections: 1, connectTimeout: 500, statementTimeout: 500, lockTimeout: 500, margin: 200 };
/** A notification takes a millisecond, and others wait for it. */
const SENDER = { connections: 1, statementTimeout: 2_000, margin: 1_000 };

/** Cancels the statement of a session, and returns whether it was waiting for a lock of another session. */
const CANCEL = `select wait_event_type is not distinct from 'Lock' as waits_for_lock, pg_cancel_backend(pid)
  from pg_stat_activity where pid = $1`;

/** Milliseconds within which a server that does not hang responds to `CANCEL`. */
const RESPONSIVE = 1_000;

/** Cancels the statement of a server process, and returns why that took too long. */
async function cancelStatement(sender: PostgresPool, pid: number): Promise<Delay> {
  const sent = performance.now();
  try {
    const [session] = (await sender.query({ text: CANCEL }, [pid])).rows as { waits_for_lock: boolean }[];
    if (performance.now() - sent > RESPONSIVE) return 'hang';
    return session?.waits_for_lock ? 'lock' : 'work';
  } catch {
    return 'hang';
  }
}

/**
 * Opens PostgreSQL with four kinds of connections: the pool, one that listens, one that notifies outside of
 * transactions, and one for health checks.
 */
export function connectPostgres(url: string, postgresOptions: PostgresOptions = {}): Database {
  const { onStatement, listenUrl, ...others } = postgresOptions;
  const options = { ...DEFAULTS, ...others };
  let check: CheckServer = async () => false;
  const sender = new PostgresPool(url, { ...options, ...SENDER });
  const probe = new PostgresPool(url, { ...options, ...PROBE });
  const cancel = (pid: number) => ({ canArriveLate: true, delay: cancelStatement(sender, pid) });
  const pool = new PostgresPool(url, { ...options, cancel, onServer: (client) => check(overClient(client)) });
  const listeners: Listener[] = [];
  const callerLease = new CallerLease(() => pool.newestServer);
  const counted = onStatement && withoutControl(onStatement);
  return {
    kind: 'postgres',
    callerLease,
    db: overPool(pool, counted),
    reads: overPool(pool.within(options.readTimeout), counted),
    connections: options.connections,
    probe: overPool(probe),
    channel: {
      send: async (text) => void (await sender.query({ text: 'select pg_notify($1, $2)' }, [NAME, text])),
      async listen(onNotification) {
        const { isPooled } = await pool.describe();
        const address = listenUrl ?? (isPooled ? undefined : url);
        if (address === undefined) return;
        // A pooler can move to another server without notice.
        const onSession = isPooled ? undefined : callerLease.setSession;
        const listener = new Listener(address, NAME, { ...options, onSession }, onNotification);
        listeners.push(listener);
        await listener.start();
      },
    },
    openSession: () => openDirectSession(listenUrl ?? url, options.connectTimeout),
    directory: undefined,
    onNewServer(checkServer) {
      check = checkServer;
    },
    async describe() {
      const { isPooled, isPrepared } = await pool.describe();
      return { isPooled, isPrepared, listens: listenUrl !== undefined || !isPooled };
    },
    async close() {
      await Promise.all([pool.end(), sender.end(), probe.end(), ...listeners.map((listener) => listener.close())]);
    },
  };
}

export interface EmbeddedOptions extends Partial<Pick<PoolOptions, 'statementTimeout'>> {
  /** The timeout of a statement of a read, in milliseconds. */
  readonly readTimeout?: number;
  /** The directory of the database; absent: it is in memory. */
  readonly dataDir?: string;
  /** The initial content of a database in memory: the result of `dump`. */
  readonly snapshot?: Blob;
  /** Called with the text of every statement except `begin` and `commit`. */
  readonly onStatement?: OnStatement | undefined;
}

export interface EmbeddedDatabase extends Database {
  dump(): Promise<Blob>;
}

/** The driver requires an address, which is not used. */
const NO_ADDRESS = 'postgres://postgres@embedded/postgres';

/**
 * There is one connection, so statements never wait for locks, and transactions of the server are not idle for long.
 */
const ALONE = { connections: 1, connectTimeout: 0, poolTimeout: 60_000, lockTimeout: 0, idleTransactionTimeout: 0 };

/** Opens the embedded PostgreSQL, which runs in a thread of its own. */
export async function connectEmbedded(embeddedOptions: EmbeddedOptions = {}): Promise<EmbeddedDatabase> {
  const { dataDir, snapshot, onStatement, statementTimeout, readTimeout } = { ...DEFAULTS, ...embeddedOptions };
  if (dataDir !== undefined) await createDataDirectory(dataDir, createEmpty);
  const server = new EmbeddedServer({ dataDir, snapshot });
  const pool = new PostgresPool(NO_ADDRESS, { ...ALONE, ...server.access, statementTimeout });
  await openFirst(pool);
  const listeners: ((text: string) => void)[] = [];
  const counted = onStatement && withoutControl(onStatement);
  const db = overPool(pool, counted);
  return {
    kind: 'embedded',
    db,
    reads: overPool(pool.within(readTimeout), counted),
    connections: DEFAULTS.connections,
    probe: db,
    describe: async () => undefined,
    directory: dataDir,
    onNewServer: () => {},
    // One process owns an embedded database, so its notifications reach only itself.
    channel: {
      send: async (text) => {
        for (const onNotification of listeners) onNotification(text);
      },
      listen: async (onNotification) => void listeners.push(onNotification),
    },
    close: () => pool.end(),
    async dump() {
      // Otherwise a copy would begin with crash recovery: slow, and with gaps in its sequences.
      await pool.query({ text: 'checkpoint' });
      return server.dump();
    },
  };
}

/** Makes PostgreSQL create a database in an empty directory. */
async function createEmpty(dataDir: string): Promise<void> {
  const server = new EmbeddedServer({ dataDir, snapshot: undefined });
  const pool = new PostgresPool(NO_ADDRESS, { ...ALONE, ...server.access, statementTimeout: 0 });
  await openFirst(pool);
  await pool.end();
}

/** A database that cannot be opened fails now, not at the first request. */
async function openFirst(pool: PostgresPool): Promise<void> {
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Runs hand-written SQL. */
export async function rows<Row>(db: Db, query: SQL): Promise<Row[]> {
  const built = buildQuery(query);
  // `execute` sends it now; an `await` alone would do so later, with a stack that has no caller.
  if (!built) return ((await db.execute(query).execute()) as unknown as { rows: Row[] }).rows;
  return new Statement(built.sql, built.params).run<Row>(sessionOf(db));
}
