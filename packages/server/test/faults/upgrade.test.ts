// A later release migrates the database while servers of this one run.
import { type Calls, ParleyError } from '@parley/client';
import { connectPostgres, migrate } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  compatible,
  createLaterMigrations,
  incompatible,
  newestMinimum,
  newestName,
} from '../../../db/test/later-migrations.ts';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createPostgresEnvironment,
  createRealm,
  endServers,
  type Login,
  type Process,
  parley,
  parleyJson,
  startServer,
  type TestEnvironment,
} from '../parley.ts';
import { acknowledgedReach, ascending, createLedger, startSender, storedIds } from './ledger.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const SENDERS = 4;
const ENOUGH = 40;

const COMPATIBLE = [
  compatible('alter table drafts add column mood text'),
  compatible(
    'drop index concurrently if exists messages_later',
    'create index concurrently messages_later on messages (realm_id, id)',
  ),
];
const INCOMPATIBLE = incompatible('-- contract: no server has used it since.\nalter table drafts drop column content');

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'success',
    (error: unknown) => {
      if (error instanceof ParleyError) return error.code;
      throw error;
    },
  );

async function readinessOf({ url }: Process): Promise<unknown> {
  const response = await fetch(`${url}/readyz`);
  return { code: response.status, ...((await response.json()) as object) };
}

describe.runIf(onPostgres)('servers whose database a later release migrates', () => {
  let environment: TestEnvironment;
  let olga: Login;
  let servers: [Process, Process];
  let api: Calls;
  beforeAll(async () => {
    environment = await createPostgresEnvironment();
    olga = await createRealm(environment.variables);
    servers = await Promise.all([startServer(environment.variables), startServer(environment.variables)]);
    api = apiOf(servers[0], olga);
    await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
    await api.getDrafts();
  });
  afterAll(async () => {
    await endServers();
    await environment.remove();
  });

  async function migrateTo(...files: string[]): Promise<string[]> {
    const later = createLaterMigrations(...files);
    const database = connectPostgres(environment.variables.DATABASE_URL ?? '', { connections: 2 });
    try {
      return await migrate(database, { folder: later.folder });
    } finally {
      await database.close();
      later.remove();
    }
  }

  test('continue on a schema for them without a failed request, and refuse to serve one that is not, until it is gone', async () => {
    const ledger = createLedger();
    const senders = Array.from({ length: SENDERS }, (_, n) =>
      startSender(servers[n % 2 === 0 ? 0 : 1], olga, `sender ${n}`, ledger),
    );
    const failed = Promise.race(senders.map(({ done }) => done));
    const goOn = () => Promise.race([acknowledgedReach(ledger, ledger.acknowledged.length + ENOUGH), failed]);
    await goOn();
    const applied = await migrateTo(...COMPATIBLE);
    await goOn();
    expect([...ledger.codes]).toEqual([]);
    const schema = { server: newestName(), database: applied.at(-1), minimum: newestMinimum() };
    for (const server of servers) expect(await readinessOf(server)).toEqual({ code: 200, status: 'ready', schema });
    expect(await codeOf(api.getDrafts())).toBe('success');

    const [dropped] = await migrateTo(...COMPATIBLE, INCOMPATIBLE);
    // The schema is gone, before the server has checked by itself.
    expect(await codeOf(api.getDrafts())).toBe('SERVICE_UNAVAILABLE');
    for (const server of servers) {
      expect(await readinessOf(server)).toMatchObject({
        code: 503,
        status: 'not ready',
        reason: expect.stringContaining(`for servers of schema ${dropped} or newer`),
      });
      expect(await codeOf(apiOf(server, olga).getOwnUser())).toBe('SERVICE_UNAVAILABLE');
      expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    }
    await vi.waitUntil(() => ledger.codes.size > 0, { timeout: 60_000 });

    const admin = connectPostgres(environment.variables.DATABASE_URL ?? '', { connections: 1 });
    await admin.db.execute(sql`delete from parley_migrations where name = ${dropped ?? ''}`);
    await admin.close();
    // No client requests /readyz: the servers check by themselves.
    await goOn();
    for (const sender of senders) sender.stop();
    await Promise.all(senders.map(({ done }) => done));
    expect([[...ledger.codes], ledger.lost]).toEqual([['SERVICE_UNAVAILABLE'], []]);
    expect(await storedIds(api)).toEqual(ascending(ledger.acknowledged));
  });

  test('do not start on a schema that is not for them, and neither does any command but doctor and migrate', async () => {
    const [dropped] = await migrateTo(...COMPATIBLE, incompatible('-- contract: for tests.\nselect 1'));
    const reason = new RegExp(`for servers of schema ${dropped} or newer; this server has schema ${newestName()}`);
    for (const command of [['serve'], ['work'], ['realm', 'list']]) {
      const { code, stderr } = await parley(command, environment.variables);
      expect([code, stderr], command.join(' ')).toEqual([1, expect.stringMatching(reason)]);
      expect(stderr, command.join(' ')).not.toContain(' at ');
    }
    const doctor = await parley(['doctor', '--json'], environment.variables);
    expect(doctor.code).toBe(1);
    const { findings } = JSON.parse(doctor.stdout) as { findings: { check: string; ok: boolean; detail: string }[] };
    expect(findings.find(({ check }) => check === 'migrations')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(reason),
    });
    expect(await parleyJson(['migrate'], environment.variables)).toEqual({ applied: [] });
  });
});
