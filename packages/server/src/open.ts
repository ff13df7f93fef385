// Opens the database and creates everything above it: shared by servers and commands.
import { join } from 'node:path';
import {
  BehindPooler,
  connectEmbedded,
  type Database,
  type DirectoryLock,
  isUpToDate,
  lockDirectory,
  MigrationBlocked,
  migrate,
  migrationStatus,
  schemaState,
} from '@parley/db';
import type { App } from './app.ts';
import type { AppHooks } from './assemble.ts';
import { createCleanup } from './cleanup.ts';
import { type Config, ConfigError, loadSecret } from './config/index.ts';
import { connectTo } from './connect.ts';
import { createLog, type Logger } from './core/log.ts';
import { describeError } from './core/plain-error.ts';
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

export interface OpenOptions extends AppHooks {
  /** The kind of this process, for the message of a second process that finds the directory in use. */
  readonly command: string;
  readonly log?: Logger;
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
    if (await isUpToDate(database.db)) await recognizeSecrets(database.db, secrets);
    // The secrets are recognized while this is loaded.
    const { assembleApp } = await import('./assemble.ts');
    const app = await assembleApp({ config, database, secrets, log, hooks: options, add: all.add });
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
