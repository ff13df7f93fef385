import type { SQL } from 'drizzle-orm';
import { drizzle as overPostgres } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import type { ClientBase } from 'pg';
import { createDataDirectory } from './data-directory.ts';
import { EmbeddedServer } from './embedded/connection.ts';
import { type DirectSession, openDirectSession } from './postgres/direct-session.ts';
import { Listener } from './postgres/listener.ts';
import { type PoolOptions, PostgresPool } from './postgres/pool.ts';
import { buildQuery, type StatementWithParams } from './prepared/build-query.ts';
import * as schema from './schema/index.ts';

/** A connection or an open transaction: queries never care which. */
export type Db = PgDatabase<PgQueryResultHKT, typeof schema>;

/** Tells the other processes on the same database something, and hears what they tell. Nothing is stored. */
export interface Channel {
  send(text: string): Promise<void>;
  listen(hear: (text: string) => void): Promise<void>;
}

export interface Database {
  readonly kind: 'embedded' | 'postgres';
  readonly db: Db;
  /** The same connections, for reads: their statements end after `readTimeout`. */
  readonly reads: Db;
  /** How many connections requests and jobs share. The embedded database runs one transaction at a time. */
  readonly connections: number;
  readonly channel: Channel;
  /** A connection beside those that requests use, for health checks: it waits for nothing else, and not for long. */
  readonly probe: Db;
  /** A connection of its own, for statements that cannot run in a transaction; absent for the embedded database. */
  readonly openSession?: () => Promise<DirectSession>;
  /** Of an embedded database that is not in memory. */
  readonly directory: string | undefined;
  /** Has this done with a new connection before it is used, if it leads to another database or another server than the ones before. */
  onNewServer(check: CheckServer): void;
  /** What the connections lead to; undefined for the embedded database. */
  describe(): Promise<ConnectionFacts | undefined>;
  close(): Promise<void>;
}

/** False: the database has no tables yet, so the next connection is to be checked as well. */
export type CheckServer = (db: Db) => Promise<boolean>;

export interface PostgresOptions extends Partial<Omit<PoolOptions, 'cancel' | 'onServer'>> {
  /** Where to listen, if a pooler is at the other address. */
  readonly listenUrl?: string | undefined;
  /** Milliseconds that a statement of a read may run. */
  readonly readTimeout?: number;
  /** Milliseconds between two looks whether the server of the listening connection still responds. */
  readonly pingInterval?: number;
  /** Called with the text of every statement except `begin` and `commit`, to count them. */
  readonly onStatement?: OnStatement;
}

/** What a connection leads to, and what follows. */
export interface ConnectionFacts {
  /** Whether a pooler such as PgBouncer is between. */
  readonly isPooled: boolean;
  readonly isPrepared: boolean;
  /** Whether other processes can wake this one. */
  readonly listens: boolean;
}

export type OnStatement = (sql: string) => void;

const logger = (onStatement?: OnStatement) => (onStatement ? { logger: { logQuery: onStatement } } : {});

const NAME = 'parley';

const overPool = (pool: Pick<PostgresPool, 'connect' | 'query'>, onStatement?: OnStatement) =>
  overPostgres(pool as unknown as pg.Pool, { schema, ...logger(onStatement) }) as unknown as Db;

const overClient = (client: ClientBase) => overPostgres(client as pg.Client, { schema }) as unknown as Db;

/** Statements that Drizzle sends around transactions; `onStatement` does not get them. */
const CONTROL = /^(begin|commit|rollback|savepoint|release)\b/;

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

/** A health check fails after a second, and the next one has a new connection. */
const PROBE = { connections: 1, connectTimeout: 500, statementTimeout: 500, lockTimeout: 500, margin: 200 };
/** A notification takes a millisecond, and others wait for it. */
const SENDER = { connections: 1, statementTimeout: 2_000, margin: 1_000 };

/** Ends the statement of a session, and returns whether it was waiting for a lock of another one. */
const CANCEL = `select wait_event_type is not distinct from 'Lock' as waits_for_lock, pg_cancel_backend(pid)
  from pg_stat_activity where pid = $1`;

/**
 * Opens PostgreSQL. Four kinds of connection: the pool, one that listens, one that notifies outside transactions, and one for
 * health checks.
 */
export function connectPostgres(url: string, given: PostgresOptions = {}): Database {
  const { onStatement, listenUrl, ...others } = given;
  const options = { ...DEFAULTS, ...others };
  let check: CheckServer = async () => false;
  const sender = new PostgresPool(url, { ...options, ...SENDER });
  const probe = new PostgresPool(url, { ...options, ...PROBE });
  const cancel = (pid: number) => {
    const waitsForLock = sender.query({ text: CANCEL }, [pid]).then(
      ({ rows: [session] }) => (session as { waits_for_lock: boolean } | undefined)?.waits_for_lock === true,
      () => false,
    );
    return { canArriveLate: true, waitsForLock };
  };
  const pool = new PostgresPool(url, { ...options, cancel, onServer: (client) => check(overClient(client)) });
  const listeners: Listener[] = [];
  const counted = onStatement && withoutControl(onStatement);
  return {
    kind: 'postgres',
    db: overPool(pool, counted),
    reads: overPool(pool.within(options.readTimeout), counted),
    connections: options.connections,
    probe: overPool(probe),
    channel: {
      send: async (text) => void (await sender.query({ text: 'select pg_notify($1, $2)' }, [NAME, text])),
      async listen(hear) {
        const address = listenUrl ?? ((await pool.describe()).isPooled ? undefined : url);
        if (address === undefined) return;
        const listener = new Listener(address, NAME, options, hear);
        listeners.push(listener);
        await listener.start();
      },
    },
    openSession: () => openDirectSession(listenUrl ?? url, options.connectTimeout),
    directory: undefined,
    onNewServer(given) {
      check = given;
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
  /** Milliseconds that a statement of a read may run. */
  readonly readTimeout?: number;
  /** Where the database is; without it, it is in memory. */
  readonly dataDir?: string;
  /** What a database in memory begins as: the result of `dump`. */
  readonly snapshot?: Blob;
  /** Called with the text of every statement except `begin` and `commit`. */
  readonly onStatement?: OnStatement | undefined;
}

export interface EmbeddedDatabase extends Database {
  dump(): Promise<Blob>;
}

/** The driver wants an address. It leads nowhere. */
const NO_ADDRESS = 'postgres://postgres@embedded/postgres';

/** There is one connection, so no statement waits for a lock, and no transaction of the server is idle for long. */
const ALONE = { connections: 1, connectTimeout: 0, poolTimeout: 60_000, lockTimeout: 0, idleTransactionTimeout: 0 };

/** Opens the embedded PostgreSQL, which runs in a thread of its own. */
export async function connectEmbedded(given: EmbeddedOptions = {}): Promise<EmbeddedDatabase> {
  const { dataDir, snapshot, onStatement, statementTimeout, readTimeout } = { ...DEFAULTS, ...given };
  if (dataDir !== undefined) await createDataDirectory(dataDir, createEmpty);
  const server = new EmbeddedServer({ dataDir, snapshot });
  const pool = new PostgresPool(NO_ADDRESS, { ...ALONE, ...server.access, statementTimeout });
  await openFirst(pool);
  const hearers: ((text: string) => void)[] = [];
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
    // One process owns an embedded database, so what it tells "the others" only itself can hear.
    channel: {
      send: async (text) => {
        for (const hear of hearers) hear(text);
      },
      listen: async (hear) => void hearers.push(hear),
    },
    close: () => pool.end(),
    async dump() {
      // A copy would otherwise begin with the recovery of a crash: slow, and with gaps in its sequences.
      await pool.query({ text: 'checkpoint' });
      return server.dump();
    },
  };
}

/** Has PostgreSQL create a database in an empty directory. */
async function createEmpty(dataDir: string): Promise<void> {
  const server = new EmbeddedServer({ dataDir, snapshot: undefined });
  const pool = new PostgresPool(NO_ADDRESS, { ...ALONE, ...server.access, statementTimeout: 0 });
  await openFirst(pool);
  await pool.end();
}

/** A database that cannot be opened fails now, and not with the first request. */
async function openFirst(pool: PostgresPool): Promise<void> {
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** What of Drizzle's session runs a statement that was built without it. */
interface StatementSession {
  prepareQuery(
    query: StatementWithParams,
    fields: undefined,
    name: undefined,
    isArrayMode: false,
  ): { execute(): Promise<unknown> };
}

/** Runs hand-written SQL. */
export async function rows<Row>(db: Db, query: SQL): Promise<Row[]> {
  return ((await execute(db, query)) as { rows: Row[] }).rows;
}

function execute(db: Db, query: SQL): PromiseLike<unknown> {
  const built = buildQuery(query);
  if (!built) return db.execute(query).execute();
  const { session } = db as unknown as { session: StatementSession };
  return session.prepareQuery(built, undefined, undefined, false).execute();
}
