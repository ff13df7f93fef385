// A PostgreSQL that hangs while it runs the statement of a read, and goes on.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onPostgres } from '../../server/test/database.ts';
import { type Cluster, startCluster } from '../../server/test/faults/cluster.ts';
import { connectPostgres, findUnavailability, rows, sqlState } from '../src/index.ts';

let cluster: Cluster;
beforeAll(async () => {
  if (onPostgres) cluster = await startCluster();
});
afterAll(() => cluster?.stop());

test.runIf(onPostgres)('a read that PostgreSQL was too slow to cancel did not do too much', async () => {
  const database = connectPostgres(cluster.url, { readTimeout: 500 });
  const read = () =>
    rows(database.reads, sql`select pg_sleep(60)`).catch((error: unknown) => [
      sqlState(error),
      findUnavailability(error),
    ]);
  // The connections are open.
  expect(await read()).toEqual(['57014', undefined]);
  await rows(database.reads, sql`select`);
  const hung = read();
  await pause(200);
  cluster.pause();
  await pause(1_800);
  cluster.resume();
  expect(await hung).toEqual(['08000', 'away']);
  await database.close();
});
