// The background jobs in a process of their own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectPostgres, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import { apiOf, createPostgresEnvironment, createRealm, endServers, parley, startServer } from '../parley.ts';

vi.setConfig({ testTimeout: 120_000 });
afterAll(endServers);

const program = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url));

test('parley work needs a PostgreSQL, and the error says so', async () => {
  const { code, stderr } = await parley(['work'], { PARLEY_DATA_DIR: '/nowhere' });
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/DATABASE_URL/);
});

describe.runIf(onPostgres)('parley work without a server', () => {
  test('runs jobs that are due, and ends at the signal', async () => {
    const environment = await createPostgresEnvironment();
    const olga = await createRealm(environment.variables);
    const server = await startServer(environment.variables);
    await apiOf(server, olga).registerQueue();
    await server.end('SIGTERM');
    const database = connectPostgres(environment.variables.DATABASE_URL ?? '', { connections: 1 });
    const expired = sql`update event_queues set expires_at = now() - interval '1 minute' returning id`;
    expect(await rows(database.db, expired)).toHaveLength(1);

    const child = spawn(process.execPath, [program, 'work'], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment.variables },
      stdio: 'ignore',
    });
    await vi.waitFor(async () => expect(await rows(database.db, sql`select id from event_queues`)).toHaveLength(0), {
      timeout: 60_000,
      interval: 200,
    });
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    await database.close();
    await environment.remove();
  });
});
