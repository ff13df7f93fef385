// What a process remembers of callers, and the transactions that change it (docs/adr/0054).
import { type Db, rows } from '@parley/db';
import { type SQL, sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { freshDatabase, onPostgres, type TestDatabase } from '../../server/test/database.ts';
import { CallerLease, type LeaseSession } from '../src/postgres/caller-lease.ts';
import { SERVER } from '../src/postgres/server.ts';

const LOCK = 7_205_763;

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
  for (const id of [1, 2]) {
    await database.db.execute(
      sql`insert into realms (id, subdomain, created_at) overriding system value values (${id}, ${`r${id}`}, now())`,
    );
    await database.db.execute(sql`insert into realm_settings (realm_id, overrides) values (${id}, '{}')`);
    await database.db.execute(
      sql`insert into linkifiers (realm_id, pattern, url_template, position) values (${id}, 'x', 'y', 1)`,
    );
    await database.db.execute(sql`insert into users (realm_id, id, delivery_email, email_key, full_name, role, date_joined)
      overriding system value values (${id}, ${id}, 'a@example.com', 'a@example.com', 'A', 400, now())`);
  }
});
afterAll(() => database.close());

const versionOf = async (db: Db): Promise<string> => {
  const [row] = await rows<{ version: string }>(db, sql`select version from caller_version`);
  return row?.version ?? '';
};

const lockedWhere = (condition: SQL) => sql`select from pg_locks
  where database = (select oid from pg_database where datname = current_database())
    and locktype = 'advisory' and objid = ${LOCK} and ${condition}`;

describe('the version changes with', () => {
  test.each([
    ['an organization', sql`update realms set deactivated_at = now() where id = 1`],
    ['its settings', sql`update realm_settings set overrides = '{"name": "B"}' where realm_id = 1`],
    ['its linkifiers', sql`update linkifiers set pattern = 'z' where realm_id = 1`],
    [
      'a linkifier that is added',
      sql`insert into linkifiers (realm_id, pattern, url_template, position) values (1, 'a', 'b', 2)`,
    ],
    ['a linkifier that is removed', sql`delete from linkifiers where realm_id = 1`],
    ['any column of an account', sql`update users set full_name = 'B' where realm_id = 1`],
    ['the role of an account', sql`update users set role = 200 where realm_id = 1`],
    ['the key of an account', sql`update users set key_version = key_version + 1 where realm_id = 1`],
  ])('%s', async (_, change) => {
    const before = await versionOf(database.db);
    await database.db.execute(change);
    expect(await versionOf(database.db)).not.toBe(before);
  });

  test('nothing that is rolled back', async () => {
    const before = await versionOf(database.db);
    const change = database.db.transaction(async (tx) => {
      await tx.execute(sql`update users set full_name = 'C' where realm_id = 1`);
      tx.rollback();
    });
    await expect(change).rejects.toThrow('Rollback');
    expect(await versionOf(database.db)).toBe(before);
  });
});

describe.runIf(onPostgres)('a lease', () => {
  const clients: pg.Client[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end().catch(() => {})));
  });

  async function connect(options = ''): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url, options });
    client.on('error', () => {});
    clients.push(client);
    await client.connect();
    return client;
  }

  const sessionOf = async (client: pg.Client): Promise<LeaseSession> => ({
    server: (await client.query(`select ${SERVER} as server`)).rows[0].server,
    query: async (text) => [await client.query(text)].flat().flatMap(({ rows: found }) => found),
    close: () => void client.end().catch(() => {}),
  });

  async function openLease(serverOfStatements?: string) {
    // A lease must not depend on it.
    const session = await sessionOf(await connect('-c default_transaction_isolation=serializable'));
    const lease = new CallerLease(() => serverOfStatements ?? session.server);
    lease.setSession(session);
    return lease;
  }

  /** Uses the lease as often as requests of a busy server do, until it is held. */
  async function useUntilHeld(lease: CallerLease): Promise<string> {
    const held = async () => Array.from({ length: 5 }, () => lease.use()).at(-1);
    await expect.poll(held, { timeout: 30_000, interval: 5 }).toBeDefined();
    return lease.use() ?? useUntilHeld(lease);
  }

  const change = () => database.db.execute(sql`update users set full_name = full_name || '.' where realm_id = 1`);

  test('is not acquired by single uses', async () => {
    const lease = await openLease();
    for (let n = 0; n < 10; n++) {
      expect(lease.use()).toBeUndefined();
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  });

  test('has the version of the database while it is held, and ends when it is not used', async () => {
    const lease = await openLease();
    expect(await useUntilHeld(lease)).toBe(await versionOf(database.db));
    await expect.poll(() => lease.version).toBeUndefined();
    const held = lockedWhere(sql`true`);
    await expect.poll(() => rows(database.db, held)).toEqual([]);
  });

  test('is held before the first change as well, and has no version of then after it', async () => {
    await database.db.execute(sql`delete from caller_version`);
    const lease = await openLease();
    expect(await useUntilHeld(lease)).toBe('');
    await change();
    expect(await useUntilHeld(lease)).toBe(await versionOf(database.db));
    expect(lease.version).not.toBe('');
  });

  test('never has a version that was changed, whichever process changes it', async () => {
    const leases = [await openLease(), await openLease()];
    const timer = setInterval(() => {
      for (const lease of leases) for (let n = 0; n < 5; n++) lease.use();
    }, 2);
    try {
      for (let n = 0; n < 30; n++) {
        const before = await Promise.all(leases.map(useUntilHeld));
        await change();
        for (const lease of leases) expect(before).not.toContain(lease.version);
      }
    } finally {
      clearInterval(timer);
    }
  });

  test('holds up a change until it ends', async () => {
    const holder = await connect();
    await holder.query(`select pg_advisory_lock_shared(${LOCK})`);
    const order: string[] = [];
    const changed = change().then(() => order.push('changed'));
    const waits = lockedWhere(sql`not granted`);
    await expect.poll(() => rows(database.db, waits)).toHaveLength(1);
    order.push('released');
    await holder.query(`select pg_advisory_unlock_shared(${LOCK})`);
    await changed;
    expect(order).toEqual(['released', 'changed']);
  });

  test('of a process that does not respond is ended by the change', async () => {
    const holder = await connect();
    const ended = new Promise((resolve) => holder.once('end', resolve));
    await holder.query(`select pg_advisory_lock_shared(${LOCK})`);
    const before = await versionOf(database.db);
    await change();
    expect(await versionOf(database.db)).not.toBe(before);
    await ended;
  });

  test('is not trusted where statements go to another server', async () => {
    const lease = await openLease('another server');
    const held = lockedWhere(sql`granted`);
    await vi.waitUntil(async () => {
      for (let n = 0; n < 5; n++) expect(lease.use()).toBeUndefined();
      return (await rows(database.db, held)).length > 0;
    });
  });

  test('is waited for while it is renewed, but not for long', async () => {
    const session = await sessionOf(await connect());
    let response = Promise.resolve();
    const query: LeaseSession['query'] = async (text) => {
      await response;
      return session.query(text);
    };
    const lease = new CallerLease(() => session.server);
    lease.setSession({ ...session, query });
    const timer = setInterval(() => {
      for (let n = 0; n < 5; n++) lease.use();
    }, 2);
    /** Resolves while the lease is being renewed, which takes until the function is called. */
    const untilRenewing = async () => {
      await useUntilHeld(lease);
      let respond = () => {};
      response = new Promise((resolve) => (respond = resolve));
      await vi.waitUntil(() => lease.version === undefined, { interval: 1 });
      return respond;
    };
    const isHeldAfterwards = async () => {
      const respond = await untilRenewing();
      const settled = lease.settle();
      respond();
      await settled;
      return lease.version !== undefined;
    };
    try {
      // A process that is held up for as long as the lease is waited for begins again.
      expect(await vi.waitUntil(isHeldAfterwards, { timeout: 30_000 })).toBe(true);
      await untilRenewing();
      await lease.settle();
      expect(lease.version).toBeUndefined();
    } finally {
      clearInterval(timer);
    }
  });

  test('ends with its session', async () => {
    const lease = await openLease();
    await useUntilHeld(lease);
    lease.setSession();
    expect(lease.use()).toBeUndefined();
  });

  test('changes of the same rows in another order do not deadlock', async () => {
    const settings = sql`update realm_settings set overrides = overrides || '{"a": 1}' where realm_id = 2`;
    const role = sql`update users set role = role + 1 where realm_id = 2`;
    const run = async (id: number, statements: (typeof role)[]) =>
      database.db.transaction(async (tx) => {
        await tx.execute(sql`update realms set deactivated_at = now() where id = ${id}`);
        for (const statement of statements) await tx.execute(statement);
      });
    const user = sql`update users set role = role + 1 where realm_id = 1`;
    const other = sql`update realm_settings set overrides = overrides || '{"a": 1}' where realm_id = 1`;
    for (let n = 0; n < 20; n++) await Promise.all([run(1, [user, other]), run(2, [settings, role]), change()]);
  });
});
