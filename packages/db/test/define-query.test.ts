import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../server/test/database.ts';
import { defineQuery, tables } from '../src/index.ts';

const { realms } = tables;
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
