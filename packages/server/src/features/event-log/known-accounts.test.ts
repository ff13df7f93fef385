// The version of an organization's accounts, by which a process knows that those which it remembers are as they were.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { KnownAccounts, loadDeliveryFacts } from './index.ts';

let chat: Chat;
let ben: TestUser;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  ben = await chat.user('ben', { mirrored: false });
});
afterAll(() => chat.close());

async function versionOf(realm_id: number): Promise<string | undefined> {
  const query = sql`select version::text as version from account_versions where realm_id = ${realm_id}`;
  const [row] = await rows<{ version: string }>(chat.database.db, query);
  return row?.version;
}

const setColumn = (assignment: ReturnType<typeof sql>) =>
  chat.database.db.execute(sql`update users set ${assignment} where id = ${ben.id}`);

test.each([
  ['the role', sql`role = 300`],
  ['whether it is active', sql`is_active = false`],
  ['the version of the key', sql`key_version = key_version + 1`],
])('the version changes with %s of an account', async (_name, assignment) => {
  const before = await versionOf(chat.realm.id);
  await setColumn(assignment);
  expect(await versionOf(chat.realm.id)).not.toBe(before);
});

test.each([
  ['what else is changed', sql`full_name = 'Ben'`],
  ['the same role', sql`role = role, is_active = is_active`],
])('the version stays as it is with %s', async (_name, assignment) => {
  const before = await versionOf(chat.realm.id);
  await setColumn(assignment);
  expect(await versionOf(chat.realm.id)).toBe(before);
});

test('the version of a transaction that is rolled back was never there', async () => {
  const before = await versionOf(chat.realm.id);
  const cancel = new Error('not today');
  const work = chat.database.db.transaction(async (tx) => {
    await tx.execute(sql`update users set role = 200 where id = ${ben.id}`);
    throw cancel;
  });
  await expect(work).rejects.toBe(cancel);
  expect(await versionOf(chat.realm.id)).toBe(before);
});

test('the version changes once in a transaction, however many accounts it changes', async () => {
  const { db } = chat.database;
  for (let n = 0; n < 20; n++) await chat.user(`cook${n}`, { mirrored: false });
  const countWrites = async () => {
    await db.execute(sql`select pg_stat_force_next_flush()`);
    const query = sql`select (n_tup_ins + n_tup_upd)::int as count from pg_stat_user_tables where relname = 'account_versions'`;
    return (await rows<{ count: number }>(db, query))[0]?.count ?? 0;
  };
  const before = { writes: await countWrites(), version: await versionOf(chat.realm.id) };
  await db.execute(sql`update users set role = role + 100 where realm_id = ${chat.realm.id} and role = 400`);
  expect((await countWrites()) - before.writes).toBe(1);
  expect(await versionOf(chat.realm.id)).not.toBe(before.version);
  await db.execute(sql`update users set role = role - 100 where realm_id = ${chat.realm.id} and role = 500`);
});

test('accounts are read once, and all again after a change of one', async () => {
  const [ada, cleo] = await Promise.all(['ada', 'cleo'].map((name) => chat.user(name, { mirrored: false })));
  const source = { db: chat.database.db, accounts: new KnownAccounts() };
  const load = async (...users: (TestUser | undefined)[]) => {
    const queues = users.map((user) => ({ user_id: user?.id ?? 0, token: undefined }));
    let roles: ReadonlyMap<number, number> = new Map();
    const statements = await chat.statements(async () => {
      ({ roles } = await loadDeliveryFacts(source, chat.realm.id, [], queues));
    });
    return { statements, roles: users.map((user) => roles.get(user?.id ?? 0)) };
  };
  expect(await load(ada)).toEqual({ statements: 1, roles: [400] });
  // One of them is known.
  expect(await load(ada, cleo)).toEqual({ statements: 1, roles: [400, 400] });
  await chat.owner.api.updateUser({ user_id: ada?.id ?? 0, role: 300 });
  expect(await load(ada, cleo)).toEqual({ statements: 2, roles: [300, 400] });
  await chat.owner.api.deactivateUser({ user_id: cleo?.id ?? 0 });
  expect(await load(ada, cleo)).toEqual({ statements: 2, roles: [300, undefined] });
  expect(await load(cleo)).toEqual({ statements: 1, roles: [undefined] });
});
