// The time of the database, as a process tracks it.
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../server/test/database.ts';
import { DatabaseClock, databaseFacts, rows } from '../src/index.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterEach(() => vi.useRealTimers());
afterAll(() => database.close());

const HOUR = 3_600_000;
/** Milliseconds by which the clock and the database differ. Both are read at about the same time. */
const differenceOf = async (clock: DatabaseClock) => {
  const { now } = await databaseFacts(database.db);
  return Math.abs(clock.now().getTime() - now.getTime());
};

test('goes on when the clock of the machine is set', async () => {
  const clock = new DatabaseClock();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + HOUR });
  await clock.synchronize(database.db);
  vi.setSystemTime(Date.now() - 2 * HOUR);
  // The embedded database takes the time of this process.
  vi.useRealTimers();
  expect(await differenceOf(clock)).toBeLessThan(10_000);
});

test('is not changed by a slow response', async () => {
  const clock = new DatabaseClock();
  await clock.synchronize(database.db);
  const origin = clock.now().getTime() - performance.now();
  // The statements of a transaction run one after the other.
  await database.db.transaction((tx) => Promise.all([rows(tx, sql`select pg_sleep(0.5)`), clock.synchronize(tx)]));
  expect(Math.abs(clock.now().getTime() - performance.now() - origin)).toBeLessThan(100);
});
