import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connectEmbedded, connectPostgres, type Database, type OnStatement, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { inject } from 'vitest';
import { isCounting } from './counted-statements.ts';
import { withDatabase } from './global-setup/database.ts';

export interface TestDatabase extends Database {
  /** Its address, if it is PostgreSQL: another process can use it too. */
  readonly url: string | undefined;
}

/** The template of a database: one on the server to copy, or the bytes of an embedded one. */
type Beginning = { readonly url: string; readonly template: string } | { readonly snapshot: Blob };

/** Whether the tests run on PostgreSQL, which several processes can use, or on the embedded database. */
export const onPostgres = 'url' in inject('database');

/** A new migrated, empty database. */
export async function freshDatabase(onStatement?: OnStatement): Promise<TestDatabase> {
  return copyOf(migrated(), onStatement);
}

function migrated(): Beginning {
  const where = inject('database');
  return 'snapshot' in where ? { snapshot: new Blob([readFileSync(where.snapshot)]) } : where;
}

/**
 * Saves the content of a database, and returns how to restore it: rows and the values of its sequences. That is several
 * times faster than opening another copy. Tables must have the columns that they had.
 */
export async function keepContents({ db }: Database): Promise<() => Promise<void>> {
  await db.execute(sql.raw('create schema kept'));
  const named = await rows<{ name: string; columns: string }>(
    db,
    sql`select quote_ident(table_name) as name, string_agg(quote_ident(column_name), ', ') as columns
        from information_schema.columns join information_schema.tables using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER' group by table_name`,
  );
  for (const { name } of named) await db.execute(sql.raw(`create table kept.${name} as table public.${name}`));
  await db.execute(sql.raw('create table kept.sequence_numbers as select sequencename, last_value from pg_sequences'));
  const insert = ({ name, columns }: { name: string; columns: string }) =>
    `insert into public.${name} (${columns}) overriding system value select ${columns} from kept.${name};`;
  const restore = `do $$ begin
    set local session_replication_role = replica;
    ${named.map(({ name }) => `delete from public.${name};`).join('\n')}
    ${named.map(insert).join('\n')}
    perform setval(quote_ident(sequencename)::regclass, coalesce(last_value, 1), last_value is not null)
    from kept.sequence_numbers;
  end $$`;
  return async () => void (await db.execute(sql.raw(restore)));
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
    const database = await connectEmbedded({ snapshot: where.snapshot });
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
    return { ...(await connectEmbedded({ snapshot: beginning.snapshot, onStatement })), url: undefined };
  // Dropped with the template of the run, whose name it begins with.
  const name = `${beginning.template}_${randomBytes(6).toString('hex')}`;
  await administer(beginning.url, `create database ${name} template ${beginning.template}`);
  const url = withDatabase(beginning.url, name);
  const database = connectPostgres(url, { connections: 8, ...(onStatement && { onStatement }) });
  const { callerLease } = database;
  return {
    ...database,
    // What is counted does not depend on how often requests came before.
    callerLease: callerLease && {
      use: () => (isCounting() ? undefined : callerLease.use()),
      get version() {
        return isCounting() ? undefined : callerLease.version;
      },
      settle: async () => (isCounting() ? undefined : callerLease.settle()),
    },
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
