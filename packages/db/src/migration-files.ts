import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';

const folder = fileURLToPath(new URL('../migrations', import.meta.url));

export interface MigrationFile {
  /** The version of the schema after it. */
  readonly version: number;
  readonly name: string;
  readonly hash: string;
  readonly statements: readonly string[];
  /** The oldest schema whose servers can run after it. */
  readonly minimum: number;
  /** Whether it creates indexes on tables in use, which is impossible in a transaction. */
  readonly isConcurrent: boolean;
}

const MINIMUM = /^-- minimum: (\d{4})$/m;
export const CONCURRENTLY = /^((--.*\n|\s)*(create (unique )?|drop )index) concurrently\b/i;

export const nameOf = (version: number): string => String(version).padStart(4, '0');

/** The migrations of a folder, in their order. */
export function readMigrations(migrationsFolder: string): MigrationFile[] {
  return readMigrationFiles({ migrationsFolder }).map(({ sql, hash }, version) => {
    const [, minimum = version] = MINIMUM.exec(sql.join('\n')) ?? [];
    const statements = sql.filter((statement) => statement.trim() !== '');
    const isConcurrent = statements.some((statement) => CONCURRENTLY.test(statement));
    return { version, name: nameOf(version), hash, statements, minimum: Number(minimum), isConcurrent };
  });
}

let own: readonly MigrationFile[] | undefined;

/** The migrations of this program as of its start: an update can replace the files of a running process. */
export function migrationFiles(): readonly MigrationFile[] {
  own ??= readMigrations(folder);
  return own;
}
