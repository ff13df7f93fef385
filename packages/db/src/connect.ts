import type { SQL } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle as overPostgres } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { createDataDirectory } from './data-directory.ts';
import { withPreparedStatements } from './prepared/postgres.ts';
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
  readonly channel: Channel;
  close(): Promise<void>;
}

export interface PostgresOptions {
  /** Connections in the pool. */
  connections?: number;
  /** Longest a statement may run, in milliseconds; the server ends it then. */
  statementTimeout?: number;
  /** Is told every statement, `begin` and `commit` excepted. For counting them. */
  onStatement?: OnStatement;
}

export type OnStatement = (sql: string) => void;

const logger = (onStatement?: OnStatement) => (onStatement ? { logger: { logQuery: onStatement } } : {});

const NAME = 'parley';

// Ids stay below 2^53, so they are numbers here as they are on the wire; the driver alone would give strings.
const bigint = { to: 20, from: [20], parse: Number, serialize: (value: number) => String(value) };

/** Opens PostgreSQL. Three kinds of connection: the pool, one that listens, and one that sends outside transactions. */
export function connectPostgres(url: string, options: PostgresOptions = {}): Database {
  // PostgreSQL compiles what it expects to take long. That takes half a second; our statements take a few milliseconds.
  const jit = 'off';
  const session = { application_name: NAME, statement_timeout: options.statementTimeout ?? 60_000, jit };
  const quiet = { onnotice: () => {} };
  const client = postgres(url, { max: options.connections ?? 10, connection: session, types: { bigint }, ...quiet });
  const bell = postgres(url, { max: 1, connection: session, ...quiet });
  return {
    kind: 'postgres',
    db: overPostgres(withPreparedStatements(client), { schema, ...logger(options.onStatement) }) as unknown as Db,
    channel: {
      send: async (text) => void (await bell.notify(NAME, text)),
      listen: async (hear) => void (await bell.listen(NAME, hear)),
    },
    async close() {
      await Promise.all([client.end({ timeout: 5 }), bell.end({ timeout: 5 })]);
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
  return {
    kind: 'embedded',
    db: drizzle(client, { schema, ...logger(onStatement) }) as unknown as Db,
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

/** Runs hand-written SQL. The two drivers disagree about the shape of a result; this is the shape we use. */
export async function rows<Row>(db: Db, query: SQL): Promise<Row[]> {
  const result: unknown = await db.execute(query);
  return (Array.isArray(result) ? result : (result as { rows: Row[] }).rows) as Row[];
}
