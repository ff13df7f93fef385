import { sql } from 'drizzle-orm';
import { type Db, rows } from './connect.ts';
import { type MigrationFile, migrationFiles, nameOf } from './migration-files.ts';

export interface Migration {
  name: string;
  applied: boolean;
}

/** The schema of a database, and whether this program can serve it. A schema is named by its newest migration. */
export interface SchemaState {
  /** Undefined: no migration was applied. */
  readonly database: string | undefined;
  /** The oldest schema whose servers the database can have. */
  readonly minimum: string;
  /** The schema of this program. */
  readonly server: string;
  /** Migrations of this program that the database lacks. */
  readonly missing: readonly string[];
  /**
   * The reason why this program must not serve the database; undefined if it can, or if only migrations are missing.
   */
  readonly conflict: string | undefined;
}

interface Applied {
  readonly hash: string;
  readonly name: string;
  /** Null: applied before migrations declared it. */
  readonly minimum: number | null;
}

/** The migrations of this program, and those that this database has. */
export async function migrationStatus(db: Db): Promise<Migration[]> {
  const hashes = new Set((await listApplied(db)).map(({ hash }) => hash));
  return migrationFiles().map(({ name, hash }) => ({ name, applied: hashes.has(hash) }));
}

/** Whether every migration of this release is applied. */
export async function isUpToDate(db: Db): Promise<boolean> {
  return (await migrationStatus(db)).every(({ applied }) => applied);
}

export async function schemaState(db: Db): Promise<SchemaState> {
  const applied = await listApplied(db);
  const known = new Map(migrationFiles().map((file) => [file.hash, file]));
  const versions = applied.map(({ name }) => Number(name));
  const minimum = Math.max(0, ...applied.map((row) => minimumOf(row, known)));
  const own = migrationFiles().length - 1;
  const hashes = new Set(applied.map(({ hash }) => hash));
  return {
    database: applied.length > 0 ? nameOf(Math.max(...versions)) : undefined,
    minimum: nameOf(minimum),
    server: nameOf(own),
    missing: migrationFiles().flatMap(({ hash, name }) => (hashes.has(hash) ? [] : [name])),
    conflict: minimum > own ? conflictOf(Math.max(...versions), minimum, own) : undefined,
  };
}

const conflictOf = (database: number, minimum: number, own: number): string =>
  `The database has schema ${nameOf(database)}, for servers of schema ${nameOf(minimum)} or newer; this server has schema ${nameOf(own)}. Install the release that the database was migrated for.`;

/** An unknown migration that declares no minimum may require any version. */
const minimumOf = ({ hash, name, minimum }: Applied, known: ReadonlyMap<string, MigrationFile>): number =>
  known.get(hash)?.minimum ?? minimum ?? Number(name);

async function listApplied(db: Db): Promise<Applied[]> {
  const [table] = await rows<{ there: boolean }>(db, sql`select to_regclass('parley_migrations') is not null as there`);
  if (!table?.there) return [];
  // The column is missing where the last migration was applied by a release without it.
  return rows<Applied>(db, sql`select hash, name, (to_jsonb(m)->>'minimum')::int as minimum from parley_migrations m`);
}
