import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connectEmbedded, connectPostgres, type Database, type OnStatement } from '@parley/db';
import { sql } from 'drizzle-orm';
import { inject } from 'vitest';
import { withDatabase } from './global-setup/database.ts';

export interface TestDatabase extends Database {
  /** Where it is, if it is PostgreSQL: another process can use it too. */
  readonly url: string | undefined;
}

/** What a database starts as: one on the server to copy, or the bytes of an embedded one. */
type Beginning = { readonly url: string; readonly template: string } | { readonly snapshot: Blob };

/** Whether the tests run on PostgreSQL, which several processes can use, or on the embedded database. */
export const onPostgres = 'url' in inject('database');

/** A migrated, empty database of one's own. */
export async function freshDatabase(onStatement?: OnStatement): Promise<TestDatabase> {
  return copyOf(migrated(), onStatement);
}

function migrated(): Beginning {
  const where = inject('database');
  return 'snapshot' in where ? { snapshot: new Blob([readFileSync(where.snapshot)]) } : where;
}

const filled = new Map<string, Promise<Beginning>>();

/** A copy of a database that `fill` wrote into; it does so once for each process. */
export async function filledDatabase(
  name: string,
  fill: (database: Database) => Promise<void>,
  onStatement?: OnStatement,
): Promise<TestDatabase> {
  const beginning = filled.get(name) ?? fillOnce(name, fill);
  filled.set(name, beginning);
  return copyOf(await beginning, onStatement);
}

async function fillOnce(name: string, fill: (database: Database) => Promise<void>): Promise<Beginning> {
  const where = migrated();
  if ('snapshot' in where) {
    const database = await connectEmbedded(undefined, where.snapshot);
    await fill(database);
    const snapshot = await database.dump();
    await database.close();
    return { snapshot };
  }
  // Dropped with the template of the run, whose name it begins with.
  const template = `${where.template}_${name}_${process.pid}`;
  await administer(where.url, `create database ${template} template ${where.template}`);
  const database = connectPostgres(withDatabase(where.url, template), { connections: 2 });
  await fill(database);
  await database.close();
  return { url: where.url, template };
}

async function copyOf(beginning: Beginning, onStatement?: OnStatement): Promise<TestDatabase> {
  if ('snapshot' in beginning)
    return { ...(await connectEmbedded(undefined, beginning.snapshot, onStatement)), url: undefined };
  // Dropped with the template of the run, whose name it begins with.
  const name = `${beginning.template}_${randomBytes(6).toString('hex')}`;
  await administer(beginning.url, `create database ${name} template ${beginning.template}`);
  const url = withDatabase(beginning.url, name);
  const database = connectPostgres(url, { connections: 8, ...(onStatement && { onStatement }) });
  return {
    ...database,
    url,
    async close() {
      await database.close();
      await administer(beginning.url, `drop database if exists ${name} with (force)`);
    },
  };
}

async function administer(url: string, statement: string): Promise<void> {
  const admin = connectPostgres(url, { connections: 1 });
  await admin.db.execute(sql.raw(statement));
  await admin.close();
}
