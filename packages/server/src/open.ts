// Opens the database and creates everything above it: shared by servers and commands.
import { join } from 'node:path';
import {
  BehindPooler,
  connectEmbedded,
  connectPostgres,
  type Database,
  DatabaseClock,
  type DirectoryLock,
  lockDirectory,
  MigrationBlocked,
  migrate,
  migrationStatus,
  schemaState,
} from '@parley/db';
import type { App } from './app.ts';
import { createCleanup } from './cleanup.ts';
import { type Config, ConfigError, loadSecret } from './config/index.ts';
import { createLog, type Logger } from './core/log.ts';
import { describeError } from './core/plain-error.ts';
import { createLimits } from './http/limits/index.ts';
import type { Metrics } from './http/metrics.ts';
import type { OnBadResponse } from './http/validate.ts';
import { createIdentity } from './identity/index.ts';
import { createMailer, withMetrics } from './mail/mailer.ts';
import { recognizeSecrets } from './secrets/index.ts';
import { StartError } from './start-error.ts';

/** The database and everything above it, without a network listener. */
export interface Opened {
  readonly app: App;
  readonly config: Config;
  /** Of the embedded database's directory. */
  readonly lock: DirectoryLock | undefined;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** The kind of this process, for the message of a second process that finds the directory in use. */
  readonly command: string;
  readonly log?: Logger;
  readonly onBadResponse?: OnBadResponse;
  readonly onEmail?: Metrics['countEmail'];
}

/** Opens the database, and locks the directory of an embedded one. */
export async function openApp(config: Config, options: OpenOptions): Promise<Opened> {
  const log = options.log ?? createLog('silent');
  const all = createCleanup();
  return all.guard(async () => {
    const lock = config.database_url === undefined ? await lockDataDirectory(config, options.command, log) : undefined;
    if (lock) all.add(() => lock.release());
    const database = await openDatabase(config);
    all.add(() => database.close());
    const secrets = { current: loadSecret(config), previous: config.secret_previous };
    if (await isUpToDate(database)) await recognizeSecrets(database.db, secrets);
    // The secrets are recognized while this is loaded.
    const { createApp } = await import('./app.ts');
    const counting = config.database_url === undefined ? undefined : connectTo(config.database_url, config, 2);
    if (counting) all.add(() => counting.close());
    const clock = await openClock(database);
    all.add(() => clock.stop());
    const limits = createLimits(config.rate_rules, counting, undefined, clock.now);
    all.add(() => limits.close());
    const mailer = withMetrics(createMailer(config.mail, log, config.base_domain), options.onEmail ?? (() => {}));
    all.add(() => mailer.close());
    const app = await createApp({
      database,
      clock: clock.now,
      log,
      limits,
      requestLimits: limits,
      mailer,
      identity: await createIdentity(config.identity),
      secrets,
      serverAddress: getServerAddress(config, config.port),
      trustProxy: config.trust_proxy,
      allowedOrigins: config.allowed_origins,
      uploadSpace: config.upload_space,
      collectionLimits: config.collection_limits,
      onBadResponse: options.onBadResponse,
    });
    all.add(() => app.polls.close());
    // Positions that are not saved are only older than necessary, which loses no event.
    all.add(() =>
      app.polls
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'the positions of event queues were not saved')),
    );
    return { app, config, lock, close: () => all.stop() };
  });
}

/** The reason of the operating system why a directory cannot be written. */
const UNWRITABLE: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'ENOTDIR']);

async function lockDataDirectory({ data_dir }: Config, command: string, log: Logger): Promise<DirectoryLock> {
  try {
    const lock = await lockDirectory(data_dir, command);
    if (lock.copied_from)
      log.warn({ data_dir, original: lock.copied_from.pid }, 'the data directory is a copy of one in use');
    return lock;
  } catch (error) {
    if (!UNWRITABLE.has((error as { code?: unknown }).code)) throw error;
    throw new StartError(`PARLEY_DATA_DIR: ${data_dir} cannot be written: ${describeError(error)}`, { cause: error });
  }
}

/** Fails if the database was migrated for newer servers only. */
export async function requireServableDatabase({ db }: Database): Promise<void> {
  const { conflict } = await schemaState(db);
  if (conflict !== undefined) throw new StartError(conflict);
}

/** A server that does not migrate its database can start without tables, and is not ready then. */
export async function isUpToDate({ db }: Database): Promise<boolean> {
  return (await migrationStatus(db)).every(({ applied }) => applied);
}

/** Applies the migrations that are missing, and returns their names. */
export async function bringUpToDate(database: Database): Promise<string[]> {
  try {
    return await migrate(database);
  } catch (error) {
    throw error instanceof MigrationBlocked || error instanceof BehindPooler ? new StartError(error.message) : error;
  }
}

/** Fails for a secret that the database does not know. The database must be migrated. */
export async function requireKnownSecret({ secretGuard }: App): Promise<void> {
  const problem = await secretGuard.findProblem();
  if (problem !== undefined) throw new ConfigError(problem);
}

function connectTo(url: string, config: Config, connections: number): Database {
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

async function openDatabase(config: Config): Promise<Database> {
  const { database_url, data_dir } = config;
  if (database_url === undefined) {
    const { statement, read } = config.database_timeouts;
    return connectEmbedded({ dataDir: join(data_dir, 'database'), statementTimeout: statement, readTimeout: read });
  }
  const database = connectTo(database_url, config, config.database_connections);
  try {
    await migrationStatus(database.db);
    return database;
  } catch (error) {
    await database.close();
    throw new StartError(`The database at DATABASE_URL cannot be used: ${describeError(error)}.`);
  }
}

/** The embedded database uses the clock of this process. */
async function openClock(database: Database): Promise<Pick<DatabaseClock, 'now' | 'stop'>> {
  if (database.kind === 'embedded') return { now: () => new Date(), stop: () => {} };
  const clock = new DatabaseClock();
  await clock.synchronize(database.db);
  clock.start(database);
  return clock;
}

/** Links contain the public port. Behind a proxy that is the proxy's, with https. */
export function getServerAddress(config: Config, port: number) {
  const behindProxy = config.trust_proxy !== false;
  return {
    base_domain: config.base_domain,
    port: behindProxy || port === 80 ? undefined : port,
    scheme: behindProxy ? ('https' as const) : ('http' as const),
    web_public_streams_enabled: config.web_public_streams_enabled,
  };
}
