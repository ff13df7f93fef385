// realm_id is first in every primary key, unique index and foreign key, on both sides: a row cannot refer to another
// organization, and the schema can be distributed by organization. Read from the catalog, so no table is left out.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from './database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());

/** Tables that belong to no organization. */
const notAnOrganizations = [
  'realms',
  'parley_migrations',
  'rate_limits',
  'known_secrets',
  'caller_version',
  'database_epoch',
  'server_start',
];

test('every table of an organization has realm_id', async () => {
  const tables = await rows<{ name: string }>(
    database.db,
    sql`select c.relname as name from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
        and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'realm_id' and a.attnotnull)`,
  );
  expect(tables.map(({ name }) => name).sort()).toEqual([...notAnOrganizations].sort());
});

test('every primary key and unique index of these begins with it', async () => {
  const keys = await rows<{ table: string; index: string; first: string }>(
    database.db,
    sql`select t.relname as "table", i.relname as index, a.attname as first
        from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
        join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
        where x.indisunique and t.relnamespace = 'public'::regnamespace`,
  );
  expect(keys.length).toBeGreaterThan(15);
  expect(keys.filter(({ table, first }) => !notAnOrganizations.includes(table) && first !== 'realm_id')).toEqual([]);
});

test('every foreign key of these begins with it on both sides, or refers to the organization itself', async () => {
  const keys = await rows<{ name: string; from_column: string; to_table: string; to_column: string }>(
    database.db,
    sql`select c.conname as name, f.attname as from_column, c.confrelid::regclass::text as to_table, t.attname as to_column
        from pg_constraint c
        join pg_attribute f on f.attrelid = c.conrelid and f.attnum = c.conkey[1]
        join pg_attribute t on t.attrelid = c.confrelid and t.attnum = c.confkey[1]
        where c.contype = 'f'`,
  );
  expect(keys.length).toBeGreaterThan(15);
  const wrong = keys.filter(
    ({ from_column, to_table, to_column }) =>
      from_column !== 'realm_id' || (to_table !== 'realms' && to_column !== 'realm_id'),
  );
  expect(wrong).toEqual([]);
});

test('the database rejects a row that refers to another organization', async () => {
  const insert = sql`with two as (
      insert into realms (subdomain, created_at) values ('one', now()), ('two', now()) returning id, subdomain
    ) select id from two order by subdomain`;
  const [one, two] = await rows<{ id: number }>(database.db, insert);
  const [user] = await rows<{ id: number }>(
    database.db,
    sql`insert into users (realm_id, delivery_email, email_key, full_name, role, date_joined)
        values (${one?.id ?? 0}, 'a@example.com', 'a@example.com', 'Ada', 400, now()) returning id`,
  );
  const foreign = rows(
    database.db,
    sql`insert into user_settings (realm_id, user_id, overrides) values (${two?.id ?? 0}, ${user?.id ?? 0}, '{}')`,
  );
  await expect(foreign).rejects.toMatchObject({ cause: { code: '23503' } });
});

test('lists of large events and chunks of files are stored uncompressed: compressing costs more than it saves', async () => {
  const found = await rows<{ name: string }>(
    database.db,
    sql`select attrelid::regclass || '.' || attname as name from pg_attribute
        where attstorage = 'e' and attrelid in ('events'::regclass, 'upload_pieces'::regclass) order by name`,
  );
  expect(found.map(({ name }) => name)).toEqual(['events.message_ids', 'events.seqs', 'upload_pieces.bytes']);
});
