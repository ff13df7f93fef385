import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connectEmbedded, connectPostgres, type Database, type OnStatement } from '@parley/db';
import { sql } from 'drizzle-orm';
import { inject } from 'vitest';
import { withDatabase } from './global-setup.ts';

export interface TestDatabase extends Database {
  /** Where it is, if it is PostgreSQL: another process can use it too. */
  readonly url: string | undefined;
}

/** A migrated, empty database of one's own. */
export async function freshDatabase(onStatement?: OnStatement): Promise<TestDatabase> {
  const where = inject('database');
  const told = onStatement ? { onStatement } : {};
  if ('snapshot' in where) {
    const database = await connectEmbedded(undefined, new Blob([readFileSync(where.snapshot)]), onStatement);
    return { ...database, url: undefined };
  }
  const name = `parley_test_${randomBytes(6).toString('hex')}`;
  const admin = connectPostgres(where.url, { connections: 1 });
  await admin.db.execute(sql.raw(`create database ${name} template ${where.template}`));
  const url = withDatabase(where.url, name);
  const database = connectPostgres(url, { connections: 8, ...told });
  return {
    ...database,
    url,
    async close() {
      await database.close();
      await admin.db.execute(sql.raw(`drop database if exists ${name} with (force)`));
      await admin.close();
    },
  };
}
