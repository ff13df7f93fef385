// PgBouncer between the server and PostgreSQL: each transaction may run in another server process.
import { connectPostgres, type Database, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import { apiOf, createPostgresEnvironment, createRealm, endServers, parleyJson, startServer } from '../parley.ts';
import { hasPgBouncer, type PoolMode, startPgBouncer } from '../pgbouncer.ts';
import { acknowledgedReach, ascending, createLedger, startSender, storedIds } from './ledger.ts';

vi.setConfig({ testTimeout: 300_000 });
afterAll(endServers);

const SENDERS = 4;
const ENOUGH = 200;

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
}

async function startBehindPgBouncer(mode: PoolMode, connections: number) {
  const environment = await createPostgresEnvironment();
  const direct = environment.variables.DATABASE_URL ?? '';
  const bouncer = await startPgBouncer(direct, mode, connections);
  return {
    direct,
    environment: { ...environment.variables, DATABASE_URL: bouncer.addressOf(direct) },
    async remove() {
      await bouncer.stop();
      await environment.remove();
    },
  };
}

describe.runIf(onPostgres && hasPgBouncer).each([
  // Fewer than the servers open to PgBouncer.
  ['transaction', 15],
  ['session', 40],
] as const)('behind PgBouncer in %s mode', (mode, connections) => {
  test('the server stores every message that it acknowledged (needs PgBouncer)', async () => {
    const { environment, remove } = await startBehindPgBouncer(mode, connections);
    const olga = await createRealm(environment);
    const servers = await Promise.all([startServer(environment), startServer(environment)]);
    const [server] = servers;
    const api = apiOf(server, olga);
    await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
    const ledger = createLedger();
    const senders = Array.from({ length: SENDERS }, (_, n) =>
      startSender(servers[n % 2] ?? server, olga, `sender ${n}`, ledger),
    );
    await Promise.race([acknowledgedReach(ledger, ENOUGH), ...senders.map(({ done }) => done)]);
    for (const sender of senders) sender.stop();
    await Promise.all(senders.map(({ done }) => done));
    expect(await storedIds(api)).toEqual(ascending(ledger.acknowledged));
    expect([...ledger.codes]).toEqual([]);
    for (const one of servers) await one.end('SIGTERM');
    await remove();
  });

  test('doctor reports it, with the consequences (needs PgBouncer)', async () => {
    const { environment, direct, remove } = await startBehindPgBouncer(mode, connections);
    await createRealm(environment);
    const findings = async (variables: Record<string, string>) =>
      (await parleyJson<{ findings: Finding[] }>(['doctor'], variables)).findings.find(
        ({ check }) => check === 'connection',
      );
    expect(await findings(environment)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/pooler.*not prepared.*DATABASE_LISTEN_URL/),
    });
    expect(await findings({ ...environment, DATABASE_LISTEN_URL: direct })).toMatchObject({
      detail: expect.not.stringContaining('DATABASE_LISTEN_URL'),
    });
    await remove();
  });

  test('callers are not remembered, as it can move to another server without notice (needs PgBouncer)', async () => {
    const { environment, direct, remove } = await startBehindPgBouncer(mode, connections);
    await createRealm(environment);
    const database = connectPostgres(environment.DATABASE_URL, { listenUrl: direct });
    await database.channel.listen(() => {});
    const held = sql`select from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;
    for (let n = 0; n < 50; n++) {
      for (let uses = 0; uses < 10; uses++) expect(database.callerLease?.use()).toBeUndefined();
      expect(await rows(database.db, held)).toEqual([]);
    }
    await database.close();
    await remove();
  });

  test('each statement has its timeouts (needs PgBouncer)', async () => {
    const { environment, remove } = await startBehindPgBouncer(mode, connections);
    const database = connectPostgres(environment.DATABASE_URL, { statementTimeout: 1234, lockTimeout: 567 });
    expect(await timeoutsOf(database)).toEqual({ statement: '1234ms', lock: '567ms' });
    expect(await database.db.transaction((tx) => timeoutsOf({ ...database, db: tx as never }))).toEqual({
      statement: '1234ms',
      lock: '567ms',
    });
    await database.close();
    await remove();
  });
});

async function timeoutsOf({ db }: Pick<Database, 'db'>) {
  const [timeouts] = await rows(
    db,
    sql`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
  );
  return timeouts;
}
