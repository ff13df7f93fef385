import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectEmbedded, type Db, migrate, migrationStatus, rows, snapshotFile } from '../../src/index.ts';

vi.setConfig({ testTimeout: 180_000 });

let folder: string;
let directory: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-directory-'));
  directory = join(folder, 'database');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function inDatabase<T>(work: (db: Db) => Promise<T>, at: string | undefined = directory): Promise<T> {
  const database = await connectEmbedded(at === undefined ? {} : { dataDir: at });
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

const schemaOf = (db: Db) =>
  rows(
    db,
    sql`select table_name || '.' || column_name as what, data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') as how
          from information_schema.columns where table_schema = 'public'
        union all select tablename || ' ' || indexname, indexdef from pg_indexes where schemaname = 'public'
        union all select conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) from pg_constraint where conrelid <> 0
        order by 1, 2`,
  );

/** Names of files that other users could open, if the directory let them. */
const openUnder = (at: string): string[] =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter(({ parentPath, name }) => (statSync(join(parentPath, name)).mode & 0o077) !== 0)
    .map(({ name }) => name)
    // PostgreSQL creates this cache of its catalog again, with its own mode.
    .filter((name) => name !== 'pg_internal.init');

describe('a new embedded database', () => {
  test('begins with the snapshot of the build: every migration is applied', async () => {
    expect(existsSync(snapshotFile()), 'npm run build makes the snapshot of the migrations as they are').toBe(true);
    await inDatabase(async (db) => {
      expect((await migrationStatus(db)).every(({ applied }) => applied)).toBe(true);
      expect(await migrate({ db })).toEqual([]);
    });
  });

  test('has the tables that the migrations create', async () => {
    const migrated = await connectEmbedded();
    await migrate(migrated);
    const expected = await schemaOf(migrated.db);
    await migrated.close();
    expect(expected.length).toBeGreaterThan(300);
    expect(await inDatabase(schemaOf)).toEqual(expected);
  });

  test('has no row and no password in common with other installations', async () => {
    await inDatabase(async (db) => {
      const tables = await rows<{ name: string }>(
        db,
        sql`select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'parley_migrations'`,
      );
      expect(tables.length).toBeGreaterThan(30);
      for (const { name } of tables)
        expect(await rows(db, sql`select * from ${sql.raw(name)} limit 1`), name).toEqual([]);
      expect(await rows(db, sql`select rolname from pg_authid where rolpassword is not null`)).toEqual([]);
      expect(await rows(db, sql`select last_value from pg_sequences where last_value is not null`)).toEqual([]);
    });
  });

  test('is created by the migrations where the build left no snapshot', async () => {
    const snapshot = snapshotFile();
    renameSync(snapshot, `${snapshot}.away`);
    try {
      await inDatabase(async (db) => {
        expect((await migrationStatus(db)).some(({ applied }) => applied)).toBe(false);
        await migrate({ db });
      });
    } finally {
      renameSync(`${snapshot}.away`, snapshot);
    }
    expect(await inDatabase(async (db) => migrate({ db }))).toEqual([]);
  });

  test('cannot be read by other users, and neither can any file in it, old or new', async () => {
    await inDatabase(async (db) => {
      await db.execute(sql`create table later (text text)`);
      await db.execute(sql`insert into later values ('Soup')`);
      await db.execute(sql`checkpoint`);
    });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(openUnder(directory)).toEqual([]);
  });
});

test('files that the process creates without a mode cannot be read by other users once a database is open', async () => {
  const mask = process.umask(0o022);
  await inDatabase(async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
  process.umask(mask);
});

describe('a directory of an earlier release', () => {
  test('keeps its data, and cannot be read by other users, with every file in it', async () => {
    const mask = process.umask(0o022);
    const earlier = await PGlite.create({ dataDir: directory });
    await earlier.exec(`create table soups (name text); insert into soups values ('pea')`);
    await earlier.close();
    expect(openUnder(directory)).not.toEqual([]);
    expect(await inDatabase((db) => rows(db, sql`select name from soups`))).toEqual([{ name: 'pea' }]);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(openUnder(directory)).toEqual([]);
    process.umask(mask);
    expect((await inDatabase((db) => rows(db, sql`show shared_buffers`)))[0]).toEqual({ shared_buffers: '32MB' });
  });
});

describe('a start that was killed', () => {
  const maker = fileURLToPath(new URL('./directory-maker.ts', import.meta.url));

  test('leaves no part of a database, whenever it was killed, and the next start creates a whole one', async () => {
    let killed = 0;
    for (const files of [1, 40, 400]) {
      const child = spawn(process.execPath, ['--import', 'tsx', maker, directory], { stdio: 'ignore' });
      const ended = once(child, 'close');
      await vi.waitUntil(() => made(`${directory}.new`) >= files || existsSync(directory), {
        timeout: 120_000,
        interval: 1,
      });
      child.kill('SIGKILL');
      await ended;
      if (existsSync(directory)) break;
      killed++;
    }
    expect(killed).toBeGreaterThan(0);
    await inDatabase(async (db) => expect(await migrate({ db })).toEqual([]));
    expect(readdirSync(folder)).toEqual(['database']);
  });

  test('a directory with other files is not changed', async () => {
    mkdirSync(directory);
    writeFileSync(join(directory, 'notes.txt'), 'Soup');
    await expect(connectEmbedded({ dataDir: directory })).rejects.toThrow(/ENOTEMPTY/);
    expect(readdirSync(directory)).toEqual(['notes.txt']);
  });
});

/** The number of files and folders. */
function made(at: string): number {
  try {
    return readdirSync(at, { recursive: true }).length;
  } catch {
    // It did not exist yet, or was renamed while it was read.
    return 0;
  }
}
