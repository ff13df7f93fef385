import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { type Database, type Db, rows } from './connect.ts';
import { CONCURRENTLY, type MigrationFile, migrationFiles, readMigrations } from './migration-files.ts';
import type { DirectSession } from './postgres/direct-session.ts';
import { findUnavailability } from './unavailable.ts';

// An arbitrary number, the same in every Parley process.
const LOCK = 7_205_759;
/** Milliseconds between two checks whether another process has finished migrating. */
const PAUSE = 200;

export interface MigrateOptions {
  /** Absent: the migrations of this program. */
  readonly folder?: string;
  /** Milliseconds that a statement waits for a lock. All other statements on the table wait behind it meanwhile. */
  readonly lockTimeout?: number;
  /** How often a migration is attempted while its locks are not free. */
  readonly attempts?: number;
  /** Milliseconds after the first attempt; the pause grows by as much each time. */
  readonly retryPause?: number;
}

type Target = Pick<Database, 'db'> & Partial<Pick<Database, 'openSession'>>;
type Options = Required<Omit<MigrateOptions, 'folder'>>;

const DEFAULTS: Options = { lockTimeout: 2_000, attempts: 10, retryPause: 500 };

/** A migration did not get its locks. Nothing of it was applied. */
export class MigrationBlocked extends Error {
  override name = 'MigrationBlocked';
  constructor(name: string, { attempts }: Options, options: ErrorOptions) {
    super(
      `Migration ${name} was not applied: in ${attempts} attempts other transactions held the locks that it needs. Run parley migrate again when they have ended; pg_stat_activity lists them.`,
      options,
    );
  }
}

/** Applies the missing migrations, each by itself, and returns the names of those that it applied. */
export async function migrate(target: Target, { folder, ...overrides }: MigrateOptions = {}): Promise<string[]> {
  const options = { ...DEFAULTS, ...overrides };
  const applied: string[] = [];
  for (const file of folder === undefined ? migrationFiles() : readMigrations(folder)) {
    if (await apply(target, file, options)) applied.push(file.name);
  }
  return applied;
}

/** Returns false if the database has it already. */
async function apply(target: Target, file: MigrationFile, options: Options): Promise<boolean> {
  for (let attempt = 1; ; ) {
    try {
      const outcome = await applyOnce(target, file, options);
      if (outcome !== 'busy') return outcome === 'applied';
      await pause(PAUSE);
    } catch (error) {
      const reason = findUnavailability(error);
      if (reason !== 'locked' && reason !== 'rolled_back') throw error;
      if (attempt === options.attempts) throw new MigrationBlocked(file.name, options, { cause: error });
      // Statements that waited behind the migration run meanwhile.
      await pause(options.retryPause * attempt++);
    }
  }
}

type Outcome = 'applied' | 'known' | 'busy';

async function applyOnce({ db, openSession }: Target, file: MigrationFile, options: Options): Promise<Outcome> {
  if (!file.isConcurrent || !openSession || !(await isInUse(db))) return applyInTransaction(db, file, options);
  // A server that has nothing to apply starts without another connection.
  return (await isNoted((text) => rows(db, sql.raw(text)), file)) ? 'known' : applyConcurrently(openSession, file);
}

/**
 * Whether the database has an organization. Without one its tables are empty, so an index takes no time: it needs no connection of its
 * own, which a database behind a pooler may not have.
 */
async function isInUse(db: Db): Promise<boolean> {
  const [table] = await rows<{ exists: boolean }>(db, sql`select to_regclass('realms') is not null as exists`);
  if (!table?.exists) return false;
  const [row] = await rows<{ exists: boolean }>(db, sql`select exists (select from realms) as exists`);
  return row?.exists === true;
}

function applyInTransaction(db: Db, file: MigrationFile, { lockTimeout }: Options): Promise<Outcome> {
  return db.transaction(async (tx) => {
    // Once a migration has its locks, it has no timeout.
    await tx.execute(sql`set local statement_timeout = 0`);
    await tx.execute(sql.raw(`set local lock_timeout = ${lockTimeout}`));
    const query: Query = (text) => rows(tx, sql.raw(text));
    // Processes that start together take turns. One that waited in a statement would keep `create index concurrently` waiting.
    const [lock] = await query(`select pg_try_advisory_xact_lock(${LOCK}) as free`);
    if (lock?.free !== true) return 'busy';
    if (await isKnown(query, file)) return 'known';
    for (const statement of file.statements) await query(withoutConcurrently(statement));
    await query(noteOf(file));
    return 'applied';
  });
}

/** The embedded database has one process, and a new database has no rows, so no other process can wait. */
const withoutConcurrently = (statement: string): string => statement.replace(CONCURRENTLY, '$1');

async function applyConcurrently(openSession: () => Promise<DirectSession>, file: MigrationFile): Promise<Outcome> {
  const session = await openSession();
  try {
    const [lock] = await session.query(`select pg_try_advisory_lock(${LOCK}) as free`);
    if (lock?.free !== true) return 'busy';
    if (await isKnown(session.query, file)) return 'known';
    for (const statement of file.statements) await session.query(statement);
    await session.query(noteOf(file));
    return 'applied';
  } finally {
    await session.close();
  }
}

type Query = (text: string) => Promise<Record<string, unknown>[]>;

/** Creates the table of applied migrations, or updates that of an earlier release. */
async function isKnown(query: Query, file: MigrationFile): Promise<boolean> {
  const [table] = await query(
    `select count(*)::int as columns from pg_attribute where attrelid = to_regclass('parley_migrations') and attname in ('hash', 'minimum')`,
  );
  if (table?.columns !== 2) {
    await query(
      `create table if not exists parley_migrations (hash text primary key, name text not null, applied_at timestamptz not null default now())`,
    );
    await query('alter table parley_migrations add column if not exists minimum integer');
  }
  return isNoted(query, file);
}

/** Whether the table of applied migrations, which is there, has it. */
const isNoted = async (query: Query, { hash }: MigrationFile): Promise<boolean> =>
  (await query(`select 1 from parley_migrations where hash = '${hash}'`)).length > 0;

const noteOf = ({ hash, name, minimum }: MigrationFile): string =>
  `insert into parley_migrations (hash, name, minimum) values ('${hash}', '${name}', ${minimum})`;
