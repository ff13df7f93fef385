// A connection to another server, or to a database that was created again, is checked before it is used.
import { randomBytes } from 'node:crypto';
import { connectPostgres, type Database, type Db, rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { withDatabase } from '../../server/test/global-setup/database.ts';

const where = inject('database');
const server = 'url' in where ? where.url : undefined;
const name = `parley_new_server_${randomBytes(6).toString('hex')}`;

let admin: Database;
let database: Database;
beforeEach(async () => {
  admin = connectPostgres(server ?? '', { connections: 1 });
  await admin.db.execute(sql.raw(`create database ${name}`));
  database = connectPostgres(withDatabase(server ?? '', name), { connections: 2 });
});
afterEach(async () => {
  await database.close();
  await admin.db.execute(sql.raw(`drop database if exists ${name} with (force)`));
  await admin.close();
});

async function makeAnew(): Promise<void> {
  await admin.db.execute(sql.raw(`drop database ${name} with (force)`));
  await admin.db.execute(sql.raw(`create database ${name}`));
}

async function endConnections(): Promise<void> {
  await admin.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`);
  const left = sql`select 1 from pg_stat_activity where datname = ${name}`;
  await vi.waitUntil(async () => (await rows(admin.db, left)).length === 0, { timeout: 30_000 });
}

const oidOf = async (db: Db): Promise<string> => {
  const [row] = await rows<{ oid: string }>(
    db,
    sql`select oid::text from pg_database where datname = current_database()`,
  );
  return row?.oid ?? '';
};

test.runIf(server)(
  'the first connection to a database that was created again is checked before a statement uses it',
  async () => {
    const order: string[] = [];
    database.onNewServer(async (db) => {
      order.push(`checked ${await oidOf(db)}`);
      return true;
    });
    const first = await oidOf(database.db);
    await makeAnew();
    const results = await Promise.all(
      [1, 2, 3].map(() => oidOf(database.db).then((oid) => void order.push(`used ${oid}`))),
    );
    expect(results).toHaveLength(3);
    const second = await oidOf(database.db);
    expect(second).not.toBe(first);
    const used = `used ${second}`;
    expect(order).toEqual([`checked ${first}`, `checked ${second}`, used, used, used]);
  },
);

test.runIf(server)('a server whose check failed is checked with the next connection', async () => {
  let checks = 0;
  database.onNewServer(async () => {
    checks++;
    if (checks === 1) throw new Error('The check failed.');
    return checks === 3;
  });
  for (let n = 0; n < 4; n++) {
    await oidOf(database.db);
    await endConnections();
  }
  expect(checks).toBe(3);
});
