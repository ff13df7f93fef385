import type { SQL } from 'drizzle-orm';
import { drizzle as overPostgres } from 'drizzle-orm/node-postgres';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { createDataDirectory } from './data-directory.ts';
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
  /** The same connections, for reads: their statements end after `readTimeout`. Those of the embedded database cannot be ended. */
  readonly reads: Db;
  /** How many connections requests and jobs share. The embedded database runs one transaction at a time. */
  readonly connections: number;
  readonly channel: Channel;
  /** A connection beside those that requests use, for health checks: it waits for nothing else, and not for long. */
  readonly probe: Db;
  /** A connection of its own, for statements that cannot run in a transaction; absent for the embedded database. */
  readonly openSession?: () => Promise<DirectSession>;
  /** What the connections lead to; undefined for the embedded database. */
  describe(): Promise<ConnectionFacts | undefined>;
  close(): Promise<void>;
}

export interface PostgresOptions extends Partial<PoolOptions> {
  /** Where to listen, if a pooler is at the other address. */
  readonly listenUrl?: string | undefined;
  /** Milliseconds that a statement of a read may run. */
  readonly readTimeout?: number;
  /** Milliseconds between two looks whether the server of the listening connection still responds. */
  readonly pingInterval?: number;
  /** Is told every statement, `begin` and `commit` excepted. For counting them. */
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

/**
 * Opens PostgreSQL. Four kinds of connection: the pool, one that listens, one that notifies outside transactions, and one for
 * health checks.
 */
export function connectPostgres(url: string, given: PostgresOptions = {}): Database {
  const { onStatement, listenUrl, ...others } = given;
  const options = { ...DEFAULTS, ...others };
  const sender = new PostgresPool(url, { ...options, ...SENDER });
  const probe = new PostgresPool(url, { ...options, ...PROBE });
  const cancel = (pid: number) => void sender.query({ text: 'select pg_cancel_backend($1)' }, [pid]).catch(() => {});
  const pool = new PostgresPool(url, { ...options, cancel });
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
    async describe() {
      const { isPooled, isPrepared } = await pool.describe();
      return { isPooled, isPrepared, listens: listenUrl !== undefined || !isPooled };
    },
    async close() {
      await Promise.all([pool.end(), sender.end(), probe.end(), ...listeners.map((listener) => listener.close())]);
    },
  };
}

// PGlite's own way of reading and writing bytes takes many times as long, and blocks everybody meanwhile.
const BYTEA = 17;
const inBytes = {
  parsers: { [BYTEA]: (text: string) => Buffer.from(text.slice(2), 'hex') },
  serializers: { [BYTEA]: (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}` },
};

/** PGlite's own choice, four times as much, takes 110 MB more memory and longer to open: it clears them all first. */
const BUFFERS = '32MB';

/** Opens the embedded PostgreSQL: in memory, or in `dataDir`. `snapshot` is what `dump` gave. */
export async function connectEmbedded(
  dataDir?: string,
  snapshot?: Blob,
  onStatement?: OnStatement,
): Promise<Database & { dump(): Promise<Blob> }> {
  // Loaded here, so that a command on PostgreSQL does not wait for it.
  const [{ PreparedPGlite }, { drizzle }] = await Promise.all([
    import('./prepared/pglite.ts'),
    import('drizzle-orm/pglite'),
  ]);
  if (dataDir !== undefined) {
    await createDataDirectory(dataDir, async (fresh) => (await PreparedPGlite.create({ dataDir: fresh })).close());
  }
  const client = new PreparedPGlite({
    ...inBytes,
    startParams: [...PreparedPGlite.defaultStartParams, '-c', `shared_buffers=${BUFFERS}`],
    ...(dataDir !== undefined && { dataDir }),
    ...(snapshot !== undefined && { loadDataDir: snapshot }),
  });
  await client.waitReady;
  const hearers: ((text: string) => void)[] = [];
  const db = drizzle(client, { schema, ...logger(onStatement) }) as unknown as Db;
  return {
    kind: 'embedded',
    db,
    reads: db,
    connections: DEFAULTS.connections,
    probe: db,
    describe: async () => undefined,
    // One process owns an embedded database, so what it tells "the others" only itself can hear.
    channel: {
      send: async (text) => {
        for (const hear of hearers) hear(text);
      },
      listen: async (hear) => void hearers.push(hear),
    },
    close: () => client.close(),
    async dump() {
      // A copy would otherwise begin with the recovery of a crash: slow, and with gaps in its sequences.
      await client.exec('checkpoint');
      return client.dumpDataDir('none');
    },
  };
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

/** Runs hand-written SQL. The two drivers disagree about the shape of a result; this is the shape we use. */
export async function rows<Row>(db: Db, query: SQL): Promise<Row[]> {
  const result: unknown = await execute(db, query);
  return (Array.isArray(result) ? result : (result as { rows: Row[] }).rows) as Row[];
}

function execute(db: Db, query: SQL): PromiseLike<unknown> {
  const built = buildQuery(query);
  if (!built) return db.execute(query);
  const { session } = db as unknown as { session: StatementSession };
  return session.prepareQuery(built, undefined, undefined, false).execute();
}
