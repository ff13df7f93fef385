// Three real processes send due messages, and are killed meanwhile: every message is sent once, and none is lost.

import type { Calls } from '@parley/client';
import { connectPostgres, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createMember,
  createPostgresEnvironment,
  createRealm,
  endServers,
  type Login,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

vi.setConfig({ testTimeout: 300_000 });
afterAll(endServers);

const AUTHORS = ['ada', 'ben', 'cleo'];
/** Of each author. */
const MESSAGES = 99;
const ALL = AUTHORS.length * MESSAGES;
const KILLS = 3;

describe.runIf(onPostgres)('three processes that are killed while they send scheduled messages', () => {
  test('send each of them once, lose none, and emit each once', async () => {
    const environment = await createPostgresEnvironment();
    const olga = await createRealm(environment.variables);
    const database = connectPostgres(environment.variables.DATABASE_URL ?? '', { connections: 1 });
    const authors = await Promise.all(AUTHORS.map((name) => createMember(environment.variables, name)));
    const queue = await prepare(environment, olga, authors);
    expect(
      Math.max(...(await sendUntilKilled(environment, database))),
      'the server was killed during the work',
    ).toBeGreaterThan(0);

    const server = await startServer(environment.variables);
    await vi.waitFor(async () => expect(await waiting(database)).toBe(0), { timeout: 120_000, interval: 200 });
    const api = apiOf(server, olga);
    const around = { anchor: 'newest', num_before: 5000, num_after: 0 } as const;
    const { messages } = await api.getMessages({ ...around, apply_markdown: false, narrow: [['topic', 'later']] });
    const numbers = Array.from({ length: MESSAGES }, (_, n) => String(n));
    for (const { user_id, email, api_key } of authors) {
      expect(messages.flatMap((one) => (one.sender_id === user_id ? one.content : []))).toEqual(numbers);
      const own = await apiOf(server, { email, api_key }).getScheduledMessages();
      expect(own.scheduled_messages).toEqual([]);
    }
    expect(messages).toHaveLength(ALL);
    // Before the queue is read: events that all queues have acknowledged may be removed at any moment.
    const removals = sql`select payload->>'scheduled_message_id' as id from events where type = 'scheduled_messages' and payload->>'op' = 'remove'`;
    const removed = await rows<{ id: string }>(database.db, removals);
    expect(removed).toHaveLength(ALL);
    expect(new Set(removed.map(({ id }) => id)).size).toBe(ALL);
    expect(await heard(api, queue)).toEqual(messages.map(({ id }) => id));
    await server.end('SIGTERM');
    await database.close();
    await environment.remove();
  });
});

/** The messages that a queue delivered. */
async function heard(api: Calls, { queue_id, last_event_id: last }: Queue): Promise<number[]> {
  const { events } = await api.getEvents({ queue_id, last_event_id: last, dont_block: true });
  const last_event_id = events.at(-1)?.id;
  if (last_event_id === undefined) return [];
  const ids = events.flatMap((event) => (event.type === 'message' ? event.message.id : []));
  return [...ids, ...(await heard(api, { queue_id, last_event_id }))];
}

interface Queue {
  readonly queue_id: string;
  readonly last_event_id: number;
}

type Database = ReturnType<typeof connectPostgres>;

/** A queue that receives all messages and acknowledges none, and messages that are scheduled for tomorrow. */
async function prepare(environment: TestEnvironment, olga: Login, authors: readonly Login[]): Promise<Queue> {
  const server = await startServer(environment.variables);
  const api = apiOf(server, olga);
  await api.subscribe({
    subscriptions: [{ name: 'kitchen' }],
    principals: [olga, ...authors].map((one) => one.user_id),
  });
  const { streams } = await api.getStreams();
  const to = streams[0]?.stream_id ?? 0;
  const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
  const scheduled_delivery_timestamp = Math.floor(Date.now() / 1000) + 86_400;
  const schedule = async (author: Login) => {
    for (let n = 0; n < MESSAGES; n++) {
      const message = { type: 'stream', to, topic: 'later', content: String(n), scheduled_delivery_timestamp } as const;
      await apiOf(server, author).scheduleMessage(message);
    }
  };
  await Promise.all(authors.map(schedule));
  await server.end('SIGTERM');
  return { queue_id, last_event_id };
}

/** Makes the next part of each author's messages due now. */
const makeDue = ({ db }: Database, part: number) =>
  db.execute(sql`
    update scheduled_messages s set deliver_at = now(), attempt_at = now()
    from (select realm_id, id, row_number() over (partition by user_id order by id) as n from scheduled_messages) numbered
    where numbered.realm_id = s.realm_id and numbered.id = s.id and s.sent_at is null and numbered.n <= ${(part * MESSAGES) / KILLS}`);

async function waiting({ db }: Database): Promise<number> {
  const [row] = await rows<{ count: number }>(
    db,
    sql`select count(*)::int as count from scheduled_messages where sent_at is null`,
  );
  return row?.count ?? Number.NaN;
}

/**
 * Three at a time; one after the other is killed as soon as something of a part was sent, and another replaces it.
 * Returns how many messages of their parts were still scheduled at each of these moments.
 */
async function sendUntilKilled(environment: TestEnvironment, database: Database): Promise<number[]> {
  const start = () => startServer(environment.variables);
  const processes = await Promise.all([start(), start(), start()]);
  const cutShort: number[] = [];
  for (let part = 1; part <= KILLS; part++) {
    const later = ALL - part * AUTHORS.length * Math.floor(MESSAGES / KILLS);
    const left = await waiting(database);
    await makeDue(database, part);
    await vi.waitFor(async () => expect(await waiting(database)).toBeLessThan(left), { timeout: 60_000, interval: 2 });
    await processes.shift()?.end('SIGKILL');
    cutShort.push((await waiting(database)) - later);
    if (part < KILLS) processes.push(await start());
  }
  for (const one of processes) await one.end('SIGKILL');
  return cutShort;
}
