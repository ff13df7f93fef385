// The PostgreSQL of the measurements, and databases that exist for one measurement.
import { connectPostgres, migrate } from '@parley/db';
import postgres, { type Sql } from 'postgres';
import { createRealm } from './parley.ts';

const LOCAL = 'postgres://postgres@127.0.0.1:5432/postgres';
export const SECRET = 'a secret of at least thirty-two characters';

const bigint = { to: 20, from: [20], parse: Number, serialize: (value: number) => String(value) };
// A measurement under load must not fail by a timeout of its own.
const session = { statement_timeout: 0 };

export type SqlConnection = Sql<{ bigint: number }>;

/** `name`: the session's name in `pg_stat_activity`. */
export const connect = (url: string, name = 'parley bench'): SqlConnection =>
  postgres(url, {
    ...{ max: 1, max_lifetime: null, connect_timeout: 5, onnotice: () => {} },
    types: { bigint },
    connection: { ...session, application_name: name },
  });

/** The address of PostgreSQL: DATABASE_URL, or a local one that accepts user `postgres`. */
export async function findPostgres(): Promise<string> {
  const { DATABASE_URL: databaseUrl } = process.env;
  const url = databaseUrl ?? LOCAL;
  const sql = connect(url);
  try {
    await sql`select 1`;
    return url;
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    const where = databaseUrl ? 'the PostgreSQL that DATABASE_URL names' : `the PostgreSQL at ${LOCAL}`;
    throw new Error(`The benchmarks cannot use ${where} (${reason}). Set DATABASE_URL to one that may be written to.`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Migrated databases with one organization in each, created by copying a template. */
export interface Databases {
  readonly realm_id: number;
  readonly key_salt: string;
  readonly owner_id: number;
  readonly owner_email: string;
  /** The URL of a new one. */
  create(): Promise<string>;
  drop(url: string): Promise<void>;
  /** Drops the template, too. */
  close(): Promise<void>;
}

export async function openDatabases(server: string): Promise<Databases> {
  const prefix = `parley_bench_${process.pid}_${Date.now().toString(36)}`;
  const admin = connect(server, prefix);
  await dropLeftOvers(admin);
  let made = 0;
  const create = async (name: string, template = 'template1') => {
    await admin.unsafe(`create database ${name} template ${template}`);
    return addressOf(server, name);
  };
  const drop = (url: string) =>
    admin.unsafe(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`).then(() => {});
  const first = await create(prefix);
  const close = async () => {
    await drop(first);
    await admin.end({ timeout: 5 });
  };
  try {
    const database = connectPostgres(first, { connections: 1 });
    await migrate(database);
    await database.close();
    const { realm_id, user_id, email } = await createRealm({ DATABASE_URL: first, PARLEY_SECRET: SECRET });
    return {
      ...{ realm_id, key_salt: await findKeySalt(first), owner_id: user_id, owner_email: email },
      create: () => create(`${prefix}_${++made}`, prefix),
      drop,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function findKeySalt(url: string): Promise<string> {
  const sql = connect(url);
  const [realm] = await sql<{ key_salt: string }[]>`select key_salt from realms`;
  await sql.end({ timeout: 1 });
  return realm?.key_salt ?? '';
}

/** Drops what killed runs have left: their sessions have ended. */
async function dropLeftOvers(admin: SqlConnection): Promise<void> {
  const found = await admin<{ name: string }[]>`
    select d.datname as name from pg_database d where d.datname like 'parley\\_bench\\_%' and not exists (
      select from pg_stat_activity a where a.application_name like 'parley\\_bench\\_%' and starts_with(d.datname, a.application_name)
    )`;
  for (const { name } of found) await admin.unsafe(`drop database if exists ${name}`);
}

function addressOf(server: string, name: string): string {
  const there = new URL(server);
  there.pathname = `/${name}`;
  return there.toString();
}
