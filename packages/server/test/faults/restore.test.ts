// The database returns to an earlier state: every client registers again, and no id is used twice.
import { join } from 'node:path';
import { type Calls, createClient, ParleyError } from '@parley/client';
import { connectPostgres } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import { hostFetch } from '../host-fetch.ts';
import {
  apiOf,
  createMember,
  createPostgresEnvironment,
  createRealm,
  type Environment,
  endServers,
  freshFolder,
  type Login,
  type Process,
  parley,
  parleyJson,
  startServer,
} from '../parley.ts';
import { dump, hasPostgresPrograms, type PostgresPair, restore, startPair } from './postgres-programs.ts';

vi.setConfig({ testTimeout: 300_000 });
afterAll(endServers);

const say = (api: Calls, content: string) =>
  api.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content }).then(({ id }) => id);

/** The code of the error, once the server is available. */
async function codeOf(call: () => Promise<unknown>): Promise<string> {
  for (;;) {
    const code = await call().then(
      () => 'success',
      (error: unknown) => (error instanceof ParleyError ? error.code : String(error)),
    );
    if (code !== 'SERVICE_UNAVAILABLE') return code;
  }
}

/** The state of a client from before the database was set back. */
interface Before {
  readonly olga: Login;
  readonly queue: { readonly queue_id: string; readonly last_event_id: number };
  /** Ids of messages and an account that the database loses. */
  readonly lost: { readonly messages: readonly number[]; readonly user: number };
}

/** `keep` is called between what the database keeps and what it loses. */
async function startKitchen(environment: Environment, keep: () => void): Promise<Before & { server: Process }> {
  const olga = await createRealm(environment);
  const server = await startServer(environment);
  const api = apiOf(server, olga);
  await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
  const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
  await say(api, 'kept');
  keep();
  const messages = [await say(api, 'lost'), await say(api, 'lost, too')];
  const { user_id: user } = await createMember(environment, 'lost');
  const { events } = await api.getEvents({ queue_id, last_event_id });
  const last = events.at(-1)?.id ?? 0;
  await api.getEvents({ queue_id, last_event_id: last, dont_block: true });
  return { server, olga, queue: { queue_id, last_event_id: last }, lost: { messages, user } };
}

async function expectFreshStart(server: Process, environment: Environment, { olga, queue, lost }: Before) {
  const api = apiOf(server, olga);
  expect(await codeOf(() => api.getEvents({ ...queue, dont_block: true }))).toBe('BAD_EVENT_QUEUE_ID');
  const registered = await api.registerQueue({ event_types: ['message'] });
  expect(registered.last_event_id).toBeGreaterThan(queue.last_event_id);
  const id = await say(api, 'after');
  expect(id).toBeGreaterThan(Math.max(...lost.messages));
  expect((await createMember(environment, 'later')).user_id).toBeGreaterThan(lost.user);
  const { events } = await api.getEvents(registered);
  expect(events).toMatchObject([{ type: 'message', message: { id } }]);
  expect(await codeOf(() => api.getEvents({ ...queue, dont_block: true }))).toBe('BAD_EVENT_QUEUE_ID');
}

describe.runIf(onPostgres && hasPostgresPrograms)('after an older dump is restored (needs pg_dump)', () => {
  const folder = freshFolder();
  const file = join(folder.path, 'dump');
  afterAll(() => folder.remove());

  test('into a new database, clients start anew and no id is used twice', async () => {
    const [environment, other] = [await createPostgresEnvironment(), await createPostgresEnvironment()];
    const { server, ...before } = await startKitchen(environment.variables, () =>
      dump(environment.variables.DATABASE_URL ?? '', file),
    );
    await server.end('SIGTERM');
    restore(other.variables.DATABASE_URL ?? '', file);
    const again = await startServer(other.variables);
    await expectFreshStart(again, other.variables, before);
    await again.end('SIGTERM');
    await Promise.all([environment.remove(), other.remove()]);
  });

  test('over the database itself, clients start anew and no id is used twice', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const url = variables.DATABASE_URL ?? '';
    const { server, ...before } = await startKitchen(variables, () => dump(url, file));
    await server.end('SIGTERM');
    restore(url, file, '--clean');
    const again = await startServer(variables);
    await expectFreshStart(again, variables, before);
    expect((await parley(['doctor'], variables)).stdout).toMatch(/^ok {5}restores: .*restored from a dump$/m);
    await again.end('SIGTERM');
    await remove();
  });

  test('the SDK goes on by itself, with a resync', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const url = variables.DATABASE_URL ?? '';
    const { server, olga } = await startKitchen(variables, () => {});
    let port = Number(new URL(server.url).port);
    const client = createClient('http://localhost', {
      login: { email: olga.email, apiKey: olga.api_key },
      fetch: (...args) => hostFetch(port)(...args),
    });
    const events = client.events({ types: ['message'] });
    await events.open();
    dump(url, file);
    await say(apiOf(server, olga), 'heard, and then lost');
    expect((await events.next()).value).toMatchObject({ message: { content: 'heard, and then lost' } });
    const next = events.next();
    await server.end('SIGTERM');
    restore(url, file, '--clean');
    const again = await startServer(variables);
    port = Number(new URL(again.url).port);
    expect((await next).value).toMatchObject({ type: 'resync' });
    await say(apiOf(again, olga), 'after');
    expect((await events.next()).value).toMatchObject({ message: { content: 'after' } });
    await events.return();
    await again.end('SIGTERM');
    await remove();
  });

  test('a copy that is created with the database as a template is another database, and the original goes on', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const url = new URL(variables.DATABASE_URL ?? '');
    const name = url.pathname.slice(1);
    const { server, ...before } = await startKitchen(variables, () => {});
    await server.end('SIGTERM');
    const admin = connectPostgres(new URL('/postgres', url).toString(), { connections: 1 });
    await admin.db.execute(sql.raw(`create database ${name}_copy template ${name}`));
    const copy = { ...variables, DATABASE_URL: new URL(`/${name}_copy`, url).toString() };
    const there = await startServer(copy);
    await expectFreshStart(there, copy, before);
    await there.end('SIGTERM');
    const again = await startServer(variables);
    expect(await codeOf(() => apiOf(again, before.olga).getEvents({ ...before.queue, dont_block: true }))).toBe(
      'success',
    );
    await again.end('SIGTERM');
    await admin.db.execute(sql.raw(`drop database ${name}_copy with (force)`));
    await admin.close();
    await remove();
  });
});

describe.runIf(onPostgres && hasPostgresPrograms)('after a failover that lost commits (needs initdb)', () => {
  let pair: PostgresPair;
  beforeEach(async () => {
    pair = await startPair();
  });
  afterEach(() => pair.remove());

  test('a running server makes its clients start anew and uses no id twice', async () => {
    const both = pair.primary.replace(/(127.*)\/postgres$/, `$1,${new URL(pair.standby).host}/postgres`);
    const environment = { DATABASE_URL: both, PARLEY_SECRET: 'a secret of at least thirty-two characters' };
    const { server, ...before } = await startKitchen(environment, () => pair.copy());
    pair.failOver();
    await expectFreshStart(server, environment, before);
    expect(server.printed()).toContain('another timeline');
    await server.end('SIGTERM');
  });
});

describe.runIf(onPostgres)('parley restored', () => {
  test('makes running servers end their polls, and their clients start anew', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    const { server, ...before } = await startKitchen({ ...variables, PARLEY_METRICS_PORT: '0' }, () => {});
    const poll = apiOf(server, before.olga).getEvents(before.queue);
    await vi.waitUntil(async () => (await server.waitingPolls()) === 1, { timeout: 60_000 });
    expect(await parleyJson(['restored'], variables)).toEqual({ restored: true });
    expect((await poll).events).toEqual([]);
    await expectFreshStart(server, variables, before);
    await server.end('SIGTERM');
    await remove();
  });

  test('is what doctor advises where the role cannot see a recovery', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    await createRealm(variables);
    const restores = async () => /restores: (.*)/.exec((await parley(['doctor'], variables)).stdout)?.[1];
    const admin = connectPostgres(variables.DATABASE_URL ?? '', { connections: 1 });
    const url = new URL(variables.DATABASE_URL ?? '');
    const role = `${url.pathname.slice(1)}_role`;
    await admin.db.execute(sql.raw(`create role ${role} login`));
    await admin.db.execute(sql.raw(`alter schema public owner to ${role}`));
    await admin.db.execute(sql.raw(`grant all on all tables in schema public to ${role}`));
    url.username = role;
    variables.DATABASE_URL = url.toString();
    expect(await restores()).toMatch(/detects restored dumps, recoveries and failovers/);
    await admin.db.execute(sql`revoke execute on function pg_control_system() from public`);
    expect(await restores()).toMatch(/cannot see system: run parley restored/);
    await admin.db.execute(sql.raw(`drop owned by ${role} cascade`));
    await admin.db.execute(sql.raw(`drop role ${role}`));
    await admin.close();
    await remove();
  });
});
