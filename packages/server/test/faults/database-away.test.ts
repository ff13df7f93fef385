// The database is away, at its limit, or locked: requests fail with 503 and a retry time, and service returns by
// itself.
import { randomBytes } from 'node:crypto';
import { type Calls, ParleyError } from '@parley/client';
import { connectPostgres, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createPostgresEnvironment,
  createRealm,
  type Environment,
  endServers,
  type Process,
  startServer,
} from '../parley.ts';
import { startTcpProxy } from './tcp-proxy.ts';

vi.setConfig({ testTimeout: 300_000 });
afterAll(endServers);

const message = { type: 'stream', to: 'kitchen', topic: 'soup', content: 'hello' } as const;
const unavailable = (msg: string) => ({
  status: 503,
  retryAfter: 1,
  body: { result: 'error', code: 'SERVICE_UNAVAILABLE', msg: `${msg} Try again in 1 second.`, 'retry-after': 1 },
});

async function errorOf(
  call: Promise<unknown>,
): Promise<Pick<ParleyError, 'status' | 'retryAfter' | 'body'> | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    const { status, retryAfter, body } = error;
    return { status, body, ...(retryAfter !== undefined && { retryAfter }) };
  }
}

/** Sends the message as soon as the server serves again: on a busy machine a new connection takes longer than one request waits. */
const sendWhenServed = (api: Calls) => vi.waitFor(() => api.sendMessage(message), { timeout: 60_000, interval: 200 });

const readiness = async ({ url }: Process) => (await fetch(`${url}/readyz`)).status;

async function startKitchen(environment: Environment): Promise<{ server: Process; api: Calls }> {
  const olga = await createRealm(environment);
  const server = await startServer(environment);
  const api = apiOf(server, olga);
  await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
  return { server, api };
}

describe.runIf(onPostgres)('a server', () => {
  test('whose database goes away returns 503 for reads and writes, keeps polls waiting, and serves again without a restart', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const direct = variables.DATABASE_URL ?? '';
    const proxy = await startTcpProxy(direct);
    const { server, api } = await startKitchen({
      ...variables,
      DATABASE_URL: proxy.addressOf(direct),
      PARLEY_METRICS_PORT: '0',
    });
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
    const poll = api.getEvents({ queue_id, last_event_id });
    await vi.waitUntil(async () => (await server.waitingPolls()) === 1, { timeout: 60_000 });
    await proxy.cut();
    expect(await errorOf(api.getStreams())).toEqual(unavailable('The database is not available.'));
    expect(await errorOf(api.sendMessage(message))).toEqual(unavailable('The database is not available.'));
    expect(await readiness(server)).toBe(503);
    await proxy.restore();
    await expect.poll(() => readiness(server), { timeout: 60_000 }).toBe(200);
    const { id } = await sendWhenServed(api);
    const { events } = await poll;
    expect(events).toMatchObject([{ type: 'message', message: { id } }]);
    expect(await server.end('SIGTERM')).toBe(0);
    await proxy.cut();
    await remove();
  });

  test('whose database is away when it receives the signal to stop ends with exit code 0, and so does a worker', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const direct = variables.DATABASE_URL ?? '';
    const proxy = await startTcpProxy(direct);
    const through = { ...variables, DATABASE_URL: proxy.addressOf(direct) };
    const { server, api } = await startKitchen(through);
    const worker = await startServer(through, 'work');
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
    await api.sendMessage(message);
    const { events } = await api.getEvents({ queue_id, last_event_id });
    await api.getEvents({ queue_id, last_event_id: events.at(-1)?.id ?? 0, dont_block: true });
    await proxy.cut();
    const codes = await Promise.all([server.end('SIGTERM'), worker.end('SIGTERM')]);
    expect([codes, server.printed(), worker.printed()]).toEqual([
      [0, 0],
      expect.stringContaining('"msg":"stopped"'),
      expect.stringContaining('"msg":"stopped"'),
    ]);
    await remove();
  });

  test('that waits for a lock too long returns 503, and not that the request was too large', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const { server, api } = await startKitchen({ ...variables, PARLEY_DATABASE_TIMEOUTS: '{"lock":100}' });
    const admin = connectPostgres(variables.DATABASE_URL ?? '', { connections: 1 });
    await admin.db.transaction(async (tx) => {
      await tx.execute(sql`select * from conversations for update`);
      expect(await errorOf(api.sendMessage(message))).toEqual(
        unavailable('The request waited too long for another one.'),
      );
    });
    await api.sendMessage(message);
    await server.end('SIGTERM');
    await admin.close();
    await remove();
  });

  test('whose read waits for a lock longer than the limit of reads returns 503, and not that the request was too large', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const timeouts = '{"read":300,"lock":20000}';
    const { server, api } = await startKitchen({ ...variables, PARLEY_DATABASE_TIMEOUTS: timeouts });
    const admin = connectPostgres(variables.DATABASE_URL ?? '', { connections: 1 });
    const newest = { anchor: 'newest', num_before: 10, num_after: 0 } as const;
    await admin.db.transaction(async (tx) => {
      await tx.execute(sql`lock table messages in access exclusive mode`);
      expect(await errorOf(api.getMessages(newest))).toEqual(
        unavailable('The request waited too long for another one.'),
      );
    });
    await api.getMessages(newest);
    await server.end('SIGTERM');
    await admin.close();
    await remove();
  });

  test('whose event log is locked keeps a poll waiting that has just begun', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const { server, api } = await startKitchen({ ...variables, PARLEY_DATABASE_TIMEOUTS: '{"lock":300}' });
    const admin = connectPostgres(variables.DATABASE_URL ?? '', { connections: 2 });
    const waitForLocks = (count: number) =>
      vi.waitUntil(
        async () => {
          const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
          return (await rows(admin.db, waiting)).length === count;
        },
        { timeout: 60_000 },
      );
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
    const poll = await admin.db.transaction(async (tx) => {
      await tx.execute(sql`lock table events in access exclusive mode`);
      const pending = api.getEvents({ queue_id, last_event_id });
      await waitForLocks(1);
      await waitForLocks(0);
      return { pending };
    });
    const { id } = await api.sendMessage(message);
    expect((await poll.pending).events).toMatchObject([{ type: 'message', message: { id } }]);
    await server.end('SIGTERM');
    await admin.close();
    await remove();
  });

  test('whose write takes the database too long returns 503, because the same write succeeds later', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const timeouts = '{"statement":500,"lock":400}';
    const { server, api } = await startKitchen({ ...variables, PARLEY_DATABASE_TIMEOUTS: timeouts });
    const admin = connectPostgres(variables.DATABASE_URL ?? '', { connections: 1 });
    await admin.db.execute(
      sql`create function hang() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$`,
    );
    await admin.db.execute(sql`create trigger hang before insert on messages for each row execute function hang()`);
    expect(await errorOf(api.sendMessage(message))).toEqual(unavailable('The database took too long.'));
    await admin.db.execute(sql`drop trigger hang on messages`);
    await api.sendMessage(message);
    await server.end('SIGTERM');
    await admin.close();
    await remove();
  });

  test('whose PostgreSQL takes no more connections returns 503 until it does', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const url = new URL(variables.DATABASE_URL ?? '');
    const database = sql.identifier(url.pathname.slice(1));
    const role = sql.identifier(`parley_${randomBytes(6).toString('hex')}`);
    const admin = connectPostgres(url.toString(), { connections: 1 });
    await admin.db.execute(sql`create role ${role} login`);
    await admin.db.execute(sql`alter database ${database} owner to ${role}`);
    url.username = role.value;
    const { server, api } = await startKitchen({ ...variables, DATABASE_URL: url.toString() });
    await admin.db.execute(sql`alter database ${database} connection limit 0`);
    await admin.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role.value}`);
    expect(await errorOf(api.sendMessage(message))).toEqual(unavailable('The database is at its limit.'));
    expect(await readiness(server)).toBe(503);
    await admin.db.execute(sql`alter database ${database} connection limit -1`);
    await sendWhenServed(api);
    await expect.poll(() => readiness(server), { timeout: 60_000 }).toBe(200);
    await server.end('SIGTERM');
    await admin.close();
    await remove();
    const other = connectPostgres(variables.DATABASE_URL?.replace(/\/[^/]*$/, '/postgres') ?? '', { connections: 1 });
    await other.db.execute(sql`drop role ${role}`);
    await other.close();
  });
});
