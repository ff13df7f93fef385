// Requests that need no statement do not wait for a statement of the embedded database.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlState } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { createLog } from '../../src/core/log.ts';
import { type Running, start } from '../../src/main.ts';

/** Would take hours. */
const ENDLESS = sql`select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b`;

const folder = mkdtempSync(join(tmpdir(), 'parley-abuse-'));
let running: Running;
beforeAll(async () => {
  const config = readConfig({
    PARLEY_PORT: '0',
    PARLEY_METRICS_PORT: '0',
    PARLEY_DATA_DIR: folder,
    PARLEY_DATABASE_TIMEOUTS: '{ "statement": 6000, "lock": 5000 }',
  });
  const run = () => Promise.reject(new Error('This server runs no commands.'));
  running = await start(config, { command: 'a test server', log: createLog('silent'), run });
});
afterAll(async () => {
  await running.close();
  rmSync(folder, { recursive: true, force: true });
});

const statusOf = async (path: string) => (await fetch(`http://localhost:${new URL(running.url).port}${path}`)).status;

test('while a statement runs until its limit, health, documents and metrics respond; then the database is ready', async () => {
  let isDone = false;
  const error = running.app.database.db.execute(ENDLESS).then(
    () => undefined,
    (error: unknown) => {
      isDone = true;
      return error;
    },
  );
  for (let n = 0; n < 20; n++) expect([await statusOf('/livez'), isDone]).toEqual([200, false]);
  expect([await statusOf('/openapi.json'), isDone]).toEqual([200, false]);
  expect([await statusOf('/readyz'), isDone]).toEqual([503, false]);
  expect((await fetch(`http://localhost:${running.metricsPort}/metrics`)).status).toBe(200);
  expect(isDone).toBe(false);
  expect(sqlState(await error)).toBe('57014');
  await expect.poll(() => statusOf('/readyz')).toBe(200);
});
