// One migrated database for the whole run; every process of the tests uses a copy of it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEmbedded, connectPostgres, type Db, migrate, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** PostgreSQL to create copies on, and the database to copy; or the file with the embedded one. */
    database: { url: string; template: string } | { snapshot: string };
  }
}

export async function prepareEmbedded(provide: TestProject['provide']): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const snapshot = join(folder, 'snapshot.tar');
  const database = await connectEmbedded();
  await migrate(database);
  await dropOthers(database.db);
  // Every copy clears them before it opens. Four times as many have no use here.
  await database.db.execute(sql`alter system set shared_buffers = '32MB'`);
  writeFileSync(snapshot, Buffer.from(await (await database.dump()).arrayBuffer()));
  await database.close();
  provide('database', { snapshot });
  return async () => rmSync(folder, { recursive: true, force: true });
}

/** Databases to which no process connects would take a third of the time of a copy. */
async function dropOthers(db: Db): Promise<void> {
  await db.execute(sql`update pg_database set datistemplate = false`);
  await db.execute(sql`drop database template0`);
  await db.execute(sql`drop database template1`);
}

export async function preparePostgres(url: string, provide: TestProject['provide']): Promise<() => Promise<void>> {
  const template = `parley_template_${process.pid}_${Date.now()}`;
  const admin = connectPostgres(url, { connections: 1 });
  await admin.db.execute(sql.raw(`create database ${template}`));
  const database = connectPostgres(withDatabase(url, template), { connections: 1 });
  await migrate(database);
  await database.close();
  provide('database', { url, template });
  return async () => {
    const made = await rows<{ datname: string }>(
      admin.db,
      sql`select datname from pg_database where starts_with(datname, ${template})`,
    );
    for (const { datname } of made) await admin.db.execute(sql.raw(`drop database if exists ${datname} with (force)`));
    await admin.close();
  };
}

export function withDatabase(url: string, name: string): string {
  const there = new URL(url);
  there.pathname = `/${name}`;
  return there.toString();
}
