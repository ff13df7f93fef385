import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../server/test/database.ts';
import { type Db, defineQuery, tables } from '../src/index.ts';

const { realms, users } = tables;
const byId = () =>
  defineQuery<{ subdomain: string }, { id: number }>('test', (db) => {
    builds++;
    return db
      .select({ subdomain: realms.subdomain })
      .from(realms)
      .where(eq(realms.id, sql.placeholder('id')));
  });

let builds = 0;
let statements: string[] = [];
let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase((text) => void statements.push(text));
});
afterAll(() => database.close());

const insert = async (db: TestDatabase['db'], subdomain: string) => {
  const [made] = await db.insert(realms).values({ subdomain, created_at: new Date() }).returning({ id: realms.id });
  return made?.id ?? 0;
};

test('a defined query is built once, and runs with the values of each call', async () => {
  const find = byId();
  const [one, other] = [await insert(database.db, 'one'), await insert(database.db, 'other')];
  builds = 0;
  statements = [];
  expect(await find(database.db, { id: one })).toEqual([{ subdomain: 'one' }]);
  expect(await find(database.db, { id: other })).toEqual([{ subdomain: 'other' }]);
  expect(builds).toBe(1);
  expect(statements).toHaveLength(2);
});

test('a defined query runs in the transaction of each call, whichever session built it', async () => {
  const find = byId();
  const ids: number[] = [];
  const rolledBack = database.db.transaction(async (tx) => {
    ids.push(await insert(tx, 'within'));
    expect(await find(tx, { id: ids[0] ?? 0 })).toEqual([{ subdomain: 'within' }]);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await find(database.db, { id: ids[0] ?? 0 })).toEqual([]);
});

test('a defined query runs on the database of each call, and is logged there', async () => {
  const find = byId();
  const id = await insert(database.db, 'here');
  expect(await find(database.db, { id })).toHaveLength(1);
  const elsewhere = await freshDatabase();
  statements = [];
  expect(await find(elsewhere.db, { id })).toEqual([]);
  expect(statements).toEqual([]);
  await elsewhere.close();
});

describe('a defined query reads rows as Drizzle does', () => {
  type Preparable = ReturnType<Parameters<typeof defineQuery>[1]>;
  type Values = { subdomain: string; id: number };
  const present = getTableColumns(realms);
  const build = {
    columns: (db: Db) =>
      db
        .select()
        .from(realms)
        .where(eq(realms.subdomain, sql.placeholder('subdomain'))),
    'expressions, with names and decoders': (db: Db) =>
      db
        .select({
          n: sql<number>`${realms.id} + 1`,
          twice: sql`${realms.id}`.mapWith((id: string) => 2 * Number(id)),
          named: sql`${realms.id}`.mapWith(String).as('named'),
          nothing: sql`null`.mapWith(Number),
          array: sql`array[1, 2]`,
          json: sql`'{"a": 1}'::jsonb`,
        })
        .from(realms)
        .where(eq(realms.subdomain, sql.placeholder('subdomain'))),
    'objects, and null for a missing row': (db: Db) =>
      db
        .select({ realm: { ...present, n: sql<number>`1` }, of: sql`'all'`, account: getTableColumns(users) })
        .from(realms)
        .leftJoin(users, and(eq(users.realm_id, realms.id), eq(users.id, sql.placeholder('id')))),
    'an object of columns of two tables, one of which is missing': (db: Db) =>
      db
        .select({ both: { user_id: users.id, realm_id: realms.id, name: users.full_name } })
        .from(realms)
        .leftJoin(users, and(eq(users.realm_id, realms.id), eq(users.id, sql.placeholder('id')))),
    'no rows': (db: Db) =>
      db
        .select()
        .from(realms)
        .where(eq(realms.subdomain, sql.placeholder('id'))),
    'no columns': (db: Db) =>
      db
        .update(realms)
        .set({ deactivated_at: null })
        .where(eq(realms.subdomain, sql.placeholder('subdomain'))),
  };

  for (const [name, toQuery] of Object.entries(build)) {
    test(name, async () => {
      const subdomain = name.replaceAll(/[^a-z]/g, '');
      const realm_id = await insert(database.db, subdomain);
      const account = {
        full_name: 'Ann',
        delivery_email: 'a@x.io',
        email_key: 'a@x.io',
        role: 400,
        date_joined: new Date(),
      };
      const [user] = await database.db
        .insert(users)
        .values({ realm_id, ...account })
        .returning({ id: users.id });
      const find = defineQuery<unknown, Values>(name, (db) => toQuery(db) as Preparable);
      for (const id of [user?.id ?? 0, 0]) {
        const theirs: unknown = await toQuery(database.db).prepare(name).execute({ subdomain, id });
        expect(await find(database.db, { subdomain, id })).toEqual(Array.isArray(theirs) ? theirs : []);
      }
    });
  }
});
