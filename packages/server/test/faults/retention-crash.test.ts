// Processes that remove old messages are killed meanwhile: every message is removed and its event emitted, or neither.

import { connectPostgres, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import { createPostgresEnvironment, createRealm, endServers, parleyJson, startCommand } from '../parley.ts';

vi.setConfig({ testTimeout: 300_000 });
afterAll(endServers);

const MESSAGES = 6000;
const KILLS = 3;

describe.runIf(onPostgres)('a command that is killed while it removes old messages', () => {
  test('leaves each message as it was or removed with one event, and the next run continues', async () => {
    const { variables, remove } = await createPostgresEnvironment();
    await createRealm(variables);
    const sizes = ['--users', '5', '--streams', '2', '--topics', '3', '--messages', String(MESSAGES)];
    await parleyJson(['populate', '--realm', '', ...sizes], variables);
    await parleyJson(['realm', 'set', '', 'message_retention_days', '1'], variables);
    const database = connectPostgres(variables.DATABASE_URL ?? '', { connections: 1 });
    const all = await idsIn(database);
    let emitted = await listEmitted(database);
    for (let kill = 0; kill < KILLS; kill++) {
      const before = emitted.length;
      const command = startCommand(['retention', '--realm', ''], variables);
      const further = async () => expect((await listEmitted(database)).length).toBeGreaterThan(before);
      await vi.waitFor(further, { timeout: 60_000, interval: 2 });
      await command.kill();
      emitted = await listEmitted(database);
      expect(new Set(emitted).size).toBe(emitted.length);
      expect([...emitted, ...(await idsIn(database))].sort(ascending)).toEqual(all);
    }
    const removed = await parleyJson<{ messages: number }>(['retention', '--realm', ''], variables);
    expect(removed.messages, 'the command was killed during the work').toBeGreaterThan(0);
    expect(await listEmitted(database)).toHaveLength(emitted.length + removed.messages);
    emitted = await listEmitted(database);
    expect(new Set(emitted).size).toBe(emitted.length);
    expect([...emitted, ...(await idsIn(database))].sort(ascending)).toEqual(all);
    await database.close();
    await remove();
  });
});

type Database = ReturnType<typeof connectPostgres>;

const ascending = (one: number, other: number) => one - other;

const idsIn = async ({ db }: Database): Promise<number[]> =>
  (await rows<{ id: number }>(db, sql`select id from messages order by id`)).map(({ id }) => Number(id));

/** The ids in the events of deletions. */
const listEmitted = async ({ db }: Database): Promise<number[]> =>
  (await rows<{ id: number }>(db, sql`select unnest(message_ids) as id from events where type = 'delete_message'`)).map(
    ({ id }) => Number(id),
  );
