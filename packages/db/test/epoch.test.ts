// When a database begins a new epoch.
import { checkEpoch, type DatabaseIdentity, findEpoch, rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../server/test/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());

const on = (timeline: string) => async (): Promise<DatabaseIdentity> => ({ timeline });

test('another timeline begins a new epoch, and is known from then on', async () => {
  const { db } = database;
  const first = await checkEpoch(db, on('1'));
  const second = await checkEpoch(db, on('2'));
  expect([first?.epoch === second?.epoch, second?.raised_for]).toEqual([false, 'another timeline']);
  expect(await checkEpoch(db, on('2'))).toEqual({ epoch: second?.epoch, raised_for: undefined });
});

test('a new epoch renews the version of what processes remember of organizations and accounts', async () => {
  const { db } = database;
  await db.execute(
    sql`insert into realms (id, subdomain, created_at) overriding system value values (1, 'one', now())`,
  );
  const versions = () => rows<{ version: string }>(db, sql`select version from caller_version`);
  const before = await versions();
  await checkEpoch(db, on('2b'));
  expect(await versions()).toHaveLength(1);
  expect(await versions()).not.toEqual(before);
});

test('a check during which another server takes over begins no further epoch', async () => {
  const { db } = database;
  const raised = await checkEpoch(db, on('3'));
  const timelines = ['2', '3'];
  const check = await checkEpoch(db, async () => ({ timeline: timelines.shift() ?? '3' }));
  expect(check).toEqual({ epoch: raised?.epoch, raised_for: undefined });
  expect((await findEpoch(db))?.identity).toMatchObject({ timeline: '3' });
});
