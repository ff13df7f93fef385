import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import pg, { type ClientBase, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { type DatabaseAddress, parseAddress } from './address.ts';
import { deadlineOf, destroyConnection, withDeadline } from './deadline.ts';
import { connectFailed, isConnectFailure, isConnectionLoss, isPlanChange, isStandby, poolExhausted } from './errors.ts';
import { SERVER } from './server.ts';
import { Session } from './session.ts';
import type { CancelRequest } from './session-options.ts';
import { beginSettings, sessionSettings, type Timeouts, VANISHED_CLIENT_SETTINGS } from './settings.ts';
import { StatementNames } from './statement-names.ts';

export interface PoolOptions extends Timeouts {
  /** The maximum number of connections. */
  readonly connections: number;
  /** Timeout of a connection attempt in milliseconds; 0 for none. */
  readonly connectTimeout: number;
  /** Cancels the running statement of a server process; needed for `within`. */
  readonly cancel?: (pid: number) => CancelRequest;
  /** Creates a replacement for the socket of a connection. */
  readonly createStream?: () => Duplex;
  /** Milliseconds that a request waits while all connections are in use. */
  readonly poolTimeout: number;
  /** Milliseconds that this process waits for the response to a statement beyond `statementTimeout`; absent: 5000. */
  readonly margin?: number;
  /** Called with the first connection to each server before it is used, repeatedly until it returns true. */
  readonly onServer?: (client: ClientBase) => Promise<boolean>;
}

/** How a connection reaches its server. */
interface Reached {
  isLost: boolean;
  /** The process id of the server process. */
  readonly pid: number;
  /** A pooler, such as PgBouncer, can give each transaction a session of another server process. */
  readonly isPooled: boolean;
  /** The steps of transactions, such as `begin`, that are prepared on the connection. */
  readonly preparedSteps: Set<string>;
}

/** Milliseconds for which a request waits for a server that rejects connections, as while it restarts. */
const RESTART = 1_000;
const PAUSE = 100;
const ATTEMPTS = 8;
/** Seconds after which a connection is closed: the server's memory for it grows with its age. */
const LIFETIME = 45 * 60;
/** Milliseconds for running statements to end when the pool is closed. */
const GRACE = 5_000;

const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

const READ = /^\s*(select|with)\b/i;
const WRITE = /\b(insert|update|delete|merge|nextval|pg_notify)\b/i;

const onlyReads = (text: string): boolean => READ.test(text) && !WRITE.test(text);

/**
 * Connections to PostgreSQL with the interface that Drizzle expects of a pool: `connect` for transactions, and `query`.
 */
export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #address: DatabaseAddress;
  readonly #options: PoolOptions;
  readonly #names = new StatementNames();
  readonly #reached = new WeakMap<ClientBase, Reached>();
  readonly #clients = new Set<PoolClient>();
  /** The index of the server to try next. */
  #server = 0;
  #newestServer: string | undefined;
  /** The server whose connection was last passed to `onServer`, and the result. */
  #checked: { readonly server: string; readonly result: Promise<boolean> } | undefined;

  constructor(url: string, options: PoolOptions) {
    this.#address = parseAddress(url);
    this.#options = options;
    this.#pool = this.#createPool();
    // A connection that is lost while it is idle: the pool has removed it already.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => void this.#clients.add(client));
    this.#pool.on('remove', (client) => void this.#clients.delete(client));
  }

  /** The same connections with another statement timeout in milliseconds. */
  within(limit: number): LimitedPool {
    return new LimitedPool(this, limit);
  }

  /** A connection for one transaction. Waits a moment for a server that restarts. */
  async connect(limit?: number): Promise<Session> {
    const started = performance.now();
    for (;;) {
      try {
        return this.#sessionOf(await this.#pool.connect(), limit);
      } catch (cause) {
        const error = isPoolTimeout(cause) ? poolExhausted(cause) : connectFailed(cause);
        if (!isConnectFailure(error) || performance.now() - started > RESTART) throw error;
        this.#server++;
        await pause(PAUSE);
      }
    }
  }

  /** Runs a statement outside of transactions. A read is retried when its connection is lost. */
  async query(query: QueryConfig, values?: unknown[], limit?: number): Promise<QueryResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#queryOnce(query, values, limit);
      } catch (error) {
        const isRepeatable = isPlanChange(error) || (isConnectionLoss(error) && onlyReads(query.text));
        if (attempt === ATTEMPTS || !isRepeatable) throw error;
      }
    }
  }

  /** Whether a pooler is between this process and the server, and whether statements stay prepared. */
  async describe(): Promise<{ isPooled: boolean; isPrepared: boolean }> {
    const session = await this.connect();
    session.release();
    const { isPooled } = session;
    return { isPooled, isPrepared: this.#isPrepared(isPooled) };
  }

  /** The server of the newest connection; see `SERVER`. */
  get newestServer(): string | undefined {
    return this.#newestServer;
  }

  async end(): Promise<void> {
    const timer = setTimeout(() => {
      for (const client of this.#clients) destroyConnection(client);
    }, GRACE);
    await this.#pool.end();
    // The pool forgets a connection before that is closed.
    while (this.#clients.size > 0) await this.#nextRemoval();
    clearTimeout(timer);
  }

  /** Unlike `once` of node:events, this does not fail when the server ends a connection that is about to be closed. */
  #nextRemoval(): Promise<void> {
    return new Promise((resolve) => void this.#pool.once('remove', () => resolve()));
  }

  #createPool(): pg.Pool {
    const { connectTimeout, connections, poolTimeout, createStream } = this.#options;
    const address = () => this.#address.servers[this.#server % this.#address.servers.length];
    class Client extends pg.Client {
      constructor() {
        super({
          application_name: 'parley',
          connectionString: address(),
          connectionTimeoutMillis: connectTimeout,
          ...(createStream ? { stream: createStream, ssl: false } : KEEP_ALIVE),
        });
      }
    }
    return new pg.Pool({
      Client,
      max: connections,
      // The pool's timeout applies to new connections as well, which have their own.
      connectionTimeoutMillis: Math.max(poolTimeout, connectTimeout),
      idleTimeoutMillis: 0,
      maxLifetimeSeconds: createStream ? 0 : LIFETIME,
      onConnect: (client: ClientBase) => withDeadline(client, connectTimeout, this.#begin(client)),
    });
  }

  /** Detects what a new connection leads to, and configures its session. */
  async #begin(client: ClientBase): Promise<void> {
    const { rows } = await client.query(
      `select pg_backend_pid() as pid, pg_is_in_recovery() as standby, ${SERVER} as server`,
    );
    if (rows[0].standby && this.#address.servers.length > 1) throw isStandby();
    // A pooler responds to the startup message itself, with a process id that no server process has.
    const isPooled = rows[0].pid !== (client as unknown as { processID: number }).processID;
    const reached: Reached = { isLost: false, pid: rows[0].pid, isPooled, preparedSteps: new Set() };
    this.#reached.set(client, reached);
    // Without a listener, Node ends the process when the connection is lost.
    client.on('error', () => {
      reached.isLost = true;
    });
    if (!isPooled) await client.query(sessionSettings(this.#options));
    // A pooler has sessions of its own, and the embedded database has no network.
    if (!isPooled && !this.#options.createStream) await client.query(VANISHED_CLIENT_SETTINGS);
    this.#newestServer = rows[0].server;
    await this.#checkServer(client, rows[0].server);
  }

  /** A server that was restarted or promoted can have another past, and so can a database that was created again. */
  async #checkServer(client: ClientBase, server: string): Promise<void> {
    const { onServer } = this.#options;
    if (!onServer) return;
    if (this.#checked?.server !== server) this.#checked = { server, result: onServer(client) };
    const { result } = this.#checked;
    const isDone = await result.catch((error: unknown) => {
      if (this.#checked?.result === result) this.#checked = undefined;
      throw error;
    });
    if (!isDone && this.#checked?.result === result) this.#checked = undefined;
  }

  #sessionOf(client: PoolClient, limit = Number.POSITIVE_INFINITY): Session {
    const { isPooled = true, pid, preparedSteps } = this.#reached.get(client) ?? {};
    const statementTimeout = Math.min(limit, this.#options.statementTimeout);
    return new Session(client, {
      isPooled,
      names: this.#isPrepared(isPooled) ? this.#names : undefined,
      begin: isPooled ? beginSettings({ ...this.#options, statementTimeout }) : '',
      // A pooler's session gets its timeouts with `begin`, and another server process each time.
      limit: isPooled || statementTimeout === this.#options.statementTimeout ? undefined : statementTimeout,
      preparedSteps: this.#isPrepared(isPooled) && !isPooled ? preparedSteps : undefined,
      cancel: () => (pid === undefined ? undefined : this.#options.cancel?.(pid)),
      deadline: deadlineOf(statementTimeout, this.#options.margin),
      isLost: () => this.#reached.get(client)?.isLost ?? true,
    });
  }

  #isPrepared(isPooled: boolean): boolean {
    return this.#address.prepare ?? !isPooled;
  }

  async #queryOnce(query: QueryConfig, values: unknown[] | undefined, limit?: number): Promise<QueryResult> {
    const session = await this.connect(limit);
    try {
      return await (session.isPooled ? queryInTransaction(session, query, values) : session.query(query, values));
    } finally {
      session.release();
    }
  }
}

/** The pool reports this without a code. */
const isPoolTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect';

/**
 * The connections of another pool, for statements with a timeout of their own. Drizzle recognizes a pool by the name of
 * its class; without it, each statement of a transaction would take a connection.
 */
class LimitedPool implements Pick<PostgresPool, 'connect' | 'query'> {
  readonly #pool: PostgresPool;
  readonly #limit: number;

  constructor(pool: PostgresPool, limit: number) {
    this.#pool = pool;
    this.#limit = limit;
  }

  connect(): Promise<Session> {
    return this.#pool.connect(this.#limit);
  }

  query(query: QueryConfig, values?: unknown[]): Promise<QueryResult> {
    return this.#pool.query(query, values, this.#limit);
  }
}

/** In a session that is shared, settings last for one transaction. */
async function queryInTransaction(
  session: Session,
  query: QueryConfig,
  values: unknown[] | undefined,
): Promise<QueryResult> {
  try {
    await session.query({ text: 'begin' });
    const result = await session.query(query, values);
    await session.query({ text: 'commit' });
    return result;
  } catch (error) {
    await session.query({ text: 'rollback' }).catch(() => {});
    throw error;
  }
}
