// A database in use is migrated by a later release.
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';
import { connectPostgres, MigrationBlocked, migrate, rows, schemaState, sqlState } from '../src/index.ts';
import {
  compatible,
  createLaterMigrations,
  incompatible,
  type LaterMigrations,
  newestMinimum,
  newestName,
} from './later-migrations.ts';

vi.setConfig({ testTimeout: 60_000 });

let database: TestDatabase;
let later: LaterMigrations | undefined;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  later?.remove();
  await database.close();
});

const apply = (...files: string[]) => {
  later = createLaterMigrations(...files);
  return migrate(database, { folder: later.folder, lockTimeout: 100, attempts: 3, retryPause: 10 });
};
const insertOrganization = () =>
  database.db.execute(sql`insert into realms (subdomain, key_salt, created_at) values ('', 'salt', now())`);
const columnsOf = (table: string) =>
  rows<{ name: string }>(
    database.db,
    sql`select attname as name from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`,
  ).then((found) => found.map(({ name }) => name));
const indexesOf = (table: string) =>
  rows<{ name: string; valid: boolean }>(
    database.db,
    sql`select indexrelid::regclass::text as name, indisvalid as valid from pg_index where indrelid = ${table}::regclass`,
  );

const addColumn = compatible('alter table drafts add column mood text');
const dropColumn = incompatible('-- contract: no server has used it since.\nalter table drafts drop column content');
const addIndex = compatible(
  'drop index concurrently if exists drafts_later',
  'create index concurrently drafts_later on drafts (realm_id, id)',
);

describe('the schema of a database', () => {
  test('is compatible with the program that migrated it', async () => {
    const own = newestName();
    expect(await schemaState(database.db)).toEqual({
      server: own,
      database: own,
      minimum: newestMinimum(),
      missing: [],
      conflict: undefined,
    });
  });

  test('is compatible with an older server if the migrations since say so', async () => {
    const [name] = await apply(addColumn);
    expect(await schemaState(database.db)).toMatchObject({
      database: name,
      minimum: newestMinimum(),
      conflict: undefined,
    });
  });

  test('is incompatible with an older server if one of them says nothing, and the reason names the schemas', async () => {
    const [first, second] = await apply(dropColumn, addColumn);
    const state = await schemaState(database.db);
    expect(state).toMatchObject({ database: second, minimum: first, missing: [] });
    expect(state.conflict).toContain(`schema ${second}, for servers of schema ${first} or newer`);
    expect(state.conflict).toContain(`this server has schema ${newestName()}`);
  });

  test('is known where the table of migrations is that of an earlier release', async () => {
    await database.db.execute(sql`alter table parley_migrations drop column minimum`);
    expect(await schemaState(database.db)).toMatchObject({ missing: [], conflict: undefined });
    expect(await apply(addColumn)).toEqual(later?.names);
    expect(await schemaState(database.db)).toMatchObject({ minimum: newestMinimum(), conflict: undefined });
  });
});

describe('a migration', () => {
  test('is applied once', async () => {
    expect(await apply(addColumn)).toEqual(later?.names);
    expect(await migrate(database, { folder: later?.folder ?? '' })).toEqual([]);
    expect(await columnsOf('drafts')).toContain('mood');
  });

  test('creates indexes of tables in use, and again if an attempt was interrupted', async () => {
    await insertOrganization();
    expect(await apply(addIndex)).toEqual(later?.names);
    expect(await indexesOf('drafts')).toContainEqual({ name: 'drafts_later', valid: true });
    await database.db.execute(sql`delete from parley_migrations where name = ${later?.names[0] ?? ''}`);
    expect(await migrate(database, { folder: later?.folder ?? '' })).toEqual(later?.names);
  });
});

test.runIf(onPostgres)(
  'without an organization a migration creates indexes without a connection of its own',
  async () => {
    later = createLaterMigrations(addIndex);
    const { folder, names } = later;
    // Nothing listens there, as where only a pooler can be reached.
    const pooled = connectPostgres(database.url ?? '', { connections: 1, listenUrl: 'postgres://127.0.0.1:1/parley' });
    expect(await migrate(pooled, { folder })).toEqual(names);
    expect(await indexesOf('drafts')).toContainEqual({ name: 'drafts_later', valid: true });
    await insertOrganization();
    await database.db.execute(sql`delete from parley_migrations where name = ${names[0] ?? ''}`);
    await expect(migrate(pooled, { folder })).rejects.toThrow('ECONNREFUSED');
    await pooled.close();
  },
);

describe.runIf(onPostgres)('while other transactions use its tables, a migration', () => {
  test('stops after some attempts, with an error, and leaves nothing', async () => {
    const other = connectPostgres(database.url ?? '', { connections: 1 });
    await other.db.transaction(async (tx) => {
      await tx.execute(sql`select 1 from drafts`);
      const error = await apply(addColumn).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(MigrationBlocked);
      expect((error as Error).message).toContain(later?.names[0]);
    });
    await other.close();
    expect(await columnsOf('drafts')).not.toContain('mood');
    expect(await schemaState(database.db)).toMatchObject({ database: newestName() });
  });

  test('lets transactions that wait for it run between its attempts', async () => {
    const reader = connectPostgres(database.url ?? '', { connections: 2, lockTimeout: 60_000 });
    const holder = connectPostgres(database.url ?? '', { connections: 1 });
    later = createLaterMigrations(addColumn);
    const { folder } = later;
    let reads = 0;
    await holder.db.transaction(async (tx) => {
      await tx.execute(sql`select 1 from drafts`);
      const options = { folder, lockTimeout: 500, attempts: 3, retryPause: 100 };
      const migrating = migrate(database, options).catch((error: unknown) => error);
      let isOver = false;
      const reading = (async () => {
        for (; !isOver; reads++) await rows(reader.db, sql`select 1 from drafts`);
      })();
      // The holder keeps its lock throughout.
      expect(await migrating).toBeInstanceOf(MigrationBlocked);
      isOver = true;
      await reading;
    });
    expect(reads).toBeGreaterThan(2);
    await Promise.all([reader.close(), holder.close()]);
  });

  test('is applied once they end', async () => {
    const other = connectPostgres(database.url ?? '', { connections: 1 });
    later = createLaterMigrations(addColumn);
    const { folder } = later;
    let migrating: Promise<string[]> | undefined;
    await other.db.transaction(async (tx) => {
      await tx.execute(sql`select 1 from drafts`);
      migrating = migrate(database, { folder, lockTimeout: 100, attempts: 100, retryPause: 10 });
      const waits = sql`select 1 from pg_locks where relation = 'drafts'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      await vi.waitUntil(async () => (await rows(database.db, waits)).length > 0, { interval: 5, timeout: 30_000 });
    });
    expect(await migrating).toEqual(later.names);
    await other.close();
  });

  test('creates its indexes without blocking writes', async () => {
    await insertOrganization();
    const writer = connectPostgres(database.url ?? '', { connections: 2, lockTimeout: 20_000 });
    let migrating: Promise<string[]> | undefined;
    await writer.db.transaction(async (tx) => {
      await tx.execute(sql`lock table drafts in row exclusive mode`);
      migrating = apply(addIndex);
      const builds = sql`select 1 from pg_stat_activity where query like '%create index concurrently drafts_later%' and pid <> pg_backend_pid() and wait_event_type = 'Lock' and datname = current_database()`;
      await vi.waitUntil(async () => (await rows(database.db, builds)).length > 0, { interval: 5, timeout: 30_000 });
      // It waits for this transaction, and no other write waits for it.
      await writer.db.execute(sql`delete from drafts`);
    });
    expect(await migrating).toEqual(later?.names);
    await writer.close();
  });

  test('takes turns with another process that migrates, also while that creates indexes', async () => {
    await insertOrganization();
    later = createLaterMigrations(addColumn, addIndex);
    const { folder, names } = later;
    const others = Array.from({ length: 3 }, () => connectPostgres(database.url ?? '', { connections: 1 }));
    const applied = await Promise.all(others.map((other) => migrate(other, { folder })));
    expect(applied.flat().sort()).toEqual(names);
    await Promise.all(others.map((other) => other.close()));
  });

  test('fails with the error of its statement, which is not repeated', async () => {
    const error = await apply(compatible('alter table nowhere add column mood text')).catch(
      (caught: unknown) => caught,
    );
    expect(sqlState(error)).toBe('42P01');
  });
});
