// kill -9 during writes: acknowledged messages are stored, and queues continue without a gap.

import type { Calls } from '@parley/client';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createEmbeddedEnvironment,
  createPostgresEnvironment,
  createRealm,
  endServers,
  type Login,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

vi.setConfig({ testTimeout: 300_000 });
afterAll(endServers);

const rooms = [
  { on: 'the embedded database', fresh: createEmbeddedEnvironment, kills: 2 },
  ...(onPostgres ? [{ on: 'PostgreSQL', fresh: createPostgresEnvironment, kills: 3 }] : []),
];
const SENDERS = 4;
/** Acknowledged messages after which the server is killed. */
const ENOUGH = 60;

/** What clients saw of the server. */
interface Seen {
  readonly acknowledged: number[];
  /** Message events in the order of delivery: their own id and the message's. */
  readonly heard: { id: number; message_id: number }[];
  last_event_id: number;
}

describe.each(rooms)('a server on $on that is killed while users write', ({ fresh, kills }) => {
  test('loses no acknowledged message, and no event is missing, invented, repeated or out of order', async () => {
    const environment = await fresh();
    const olga = await createRealm(environment.variables);
    const { queue_id, seen, before } = await prepare(environment, olga);
    for (let n = 0; n < kills; n++) await writeUntilKilled(environment, olga, queue_id, seen);

    const server = await startServer(environment.variables);
    const api = apiOf(server, olga);
    const last = await api.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'after all of it' });
    while (seen.heard.at(-1)?.message_id !== last.id) await hear(api, queue_id, seen);
    const stored = await messageIds(api);
    expect(stored).toEqual(expect.arrayContaining(seen.acknowledged));
    expect(seen.heard.map(({ message_id }) => message_id)).toEqual(stored.filter((id) => !before.includes(id)));
    const ids = seen.heard.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(seen.acknowledged.length).toBeGreaterThanOrEqual(kills * ENOUGH);
    await server.end('SIGTERM');
    await environment.remove();
  });
});

async function prepare(
  environment: TestEnvironment,
  olga: Login,
): Promise<{ queue_id: string; seen: Seen; before: number[] }> {
  const server = await startServer(environment.variables);
  const api = apiOf(server, olga);
  await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
  const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
  // The Notification Bot has announced the new stream.
  const before = await messageIds(api);
  await server.end('SIGKILL');
  return { queue_id, before, seen: { acknowledged: [], heard: [], last_event_id } };
}

async function writeUntilKilled(
  environment: TestEnvironment,
  olga: Login,
  queue_id: string,
  seen: Seen,
): Promise<void> {
  const server = await startServer(environment.variables);
  const api = apiOf(server, olga);
  const goal = seen.acknowledged.length + ENOUGH;
  let alive = true;
  const send = async (sender: number) => {
    for (let n = 0; alive; n++) {
      const { id } = await api.sendMessage({
        type: 'stream',
        to: 'kitchen',
        topic: `soup ${sender}`,
        content: `soup ${n}`,
      });
      seen.acknowledged.push(id);
      if (seen.acknowledged.length >= goal && alive) {
        alive = false;
        // Not awaited: the other requests are in progress when the signal arrives.
        server.child.kill('SIGKILL');
      }
    }
  };
  const listen = async () => {
    while (alive) await hear(api, queue_id, seen);
  };
  await Promise.allSettled([...Array.from({ length: SENDERS }, (_, n) => send(n)), listen()]);
  await server.end('SIGKILL');
}

async function hear(api: Calls, queue_id: string, seen: Seen): Promise<void> {
  const { events } = await api.getEvents({ queue_id, last_event_id: seen.last_event_id });
  for (const event of events) {
    seen.last_event_id = event.id;
    if (event.type === 'message') seen.heard.push({ id: event.id, message_id: event.message.id });
  }
}

async function messageIds(api: Calls): Promise<number[]> {
  const ids: number[] = [];
  for (let anchor: number | 'oldest' = 'oldest'; ; anchor = ids.at(-1) ?? 0) {
    const include_anchor = anchor === 'oldest';
    const page = await api.getMessages({
      anchor,
      include_anchor,
      num_before: 0,
      num_after: 1000,
      narrow: [{ operator: 'stream', operand: 'kitchen' }],
    });
    ids.push(...page.messages.map(({ id }) => id));
    if (page.found_newest) return ids;
  }
}
