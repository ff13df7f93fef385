import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../test/database.ts';
import type { App } from '../app.ts';
import { type Job, startWorkers } from './loop.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());

/** The parts of an app that jobs and their loop use; `logged` has their errors. */
function appWith(): { app: App; logged: object[] } {
  const logged: object[] = [];
  const log = { error: (entry: object) => logged.push(entry), debug: () => {} };
  return { app: { database, log } as unknown as App, logged };
}

/** A job that ends when `finish` is called, and counts its concurrent runs. */
function watchedJob(name: string) {
  const watched = { runs: 0, now: 0, most: 0 };
  const job: Job = {
    name,
    every: 1,
    async run() {
      watched.runs++;
      watched.most = Math.max(watched.most, ++watched.now);
      // Long enough for another run to begin, if it could.
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      watched.now--;
    },
  };
  return { job, watched };
}

describe('background jobs', () => {
  test('run again and again, and never twice concurrently', async () => {
    const { app } = appWith();
    const { job, watched } = watchedJob('again');
    const workers = startWorkers(app, [job]);
    await expect.poll(() => watched.runs).toBeGreaterThan(5);
    await workers.stop();
    expect(watched.most).toBe(1);
  });

  test('that fail are logged by name and run again', async () => {
    const { app, logged } = appWith();
    let runs = 0;
    const run = async () => {
      runs++;
      throw new Error('no luck');
    };
    const workers = startWorkers(app, [{ name: 'unlucky', every: 1, run }]);
    await expect.poll(() => runs).toBeGreaterThan(2);
    await workers.stop();
    expect(logged[0]).toMatchObject({ job: 'unlucky', err: { message: 'no luck' } });
  });

  test('that run are waited for when the server stops, and no other one starts', async () => {
    const { app } = appWith();
    const { job, watched } = watchedJob('last');
    const workers = startWorkers(app, [job]);
    await expect.poll(() => watched.runs).toBeGreaterThan(0);
    await workers.stop();
    expect(watched.now).toBe(0);
    const { runs } = watched;
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(watched.runs).toBe(runs);
  });

  test('that have more to do run again at once, until they have not', async () => {
    const { app } = appWith();
    let runs = 0;
    const run = async () => (++runs < 5 ? 'more' : undefined);
    const workers = startWorkers(app, [{ name: 'busy', every: 3_600_000, run }]);
    await expect.poll(() => runs).toBe(5);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(runs).toBe(5);
    await workers.stop();
  });

  test.runIf(onPostgres)('of all processes run concurrently when they need no turns', async () => {
    const { job, watched } = watchedJob('together');
    const processes = Array.from({ length: 3 }, () => startWorkers(appWith().app, [{ ...job, together: true }]));
    await expect.poll(() => watched.most).toBeGreaterThan(1);
    await Promise.all(processes.map((workers) => workers.stop()));
  });

  test.runIf(onPostgres)('on one PostgreSQL take turns', async () => {
    const { job, watched } = watchedJob('shared');
    const processes = Array.from({ length: 3 }, () => startWorkers(appWith().app, [job]));
    await expect.poll(() => watched.runs).toBeGreaterThan(10);
    await Promise.all(processes.map((workers) => workers.stop()));
    expect(watched.most).toBe(1);
  });
});
