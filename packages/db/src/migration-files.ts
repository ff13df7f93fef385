import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';

const folder = fileURLToPath(new URL('../migrations', import.meta.url));

export interface MigrationFile {
  name: string;
  hash: string;
  statements: string[];
}

/** The migrations, in their order. */
export function migrationFiles(): MigrationFile[] {
  const journal = readMigrationFiles({ migrationsFolder: folder });
  return journal.map((entry, n) => ({
    name: String(n).padStart(4, '0'),
    hash: entry.hash,
    statements: entry.sql.filter((statement) => statement.trim() !== ''),
  }));
}
