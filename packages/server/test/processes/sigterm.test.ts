// How a server ends.
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createEmbeddedEnvironment,
  createPostgresEnvironment,
  createRealm,
  endServers,
  startServer,
} from '../parley.ts';

vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

const rooms = [
  { on: 'the embedded database', fresh: createEmbeddedEnvironment },
  ...(onPostgres ? [{ on: 'PostgreSQL', fresh: createPostgresEnvironment }] : []),
];

describe.each(rooms)('SIGTERM on $on', ({ fresh }) => {
  test('ends long polls with a response, finishes requests in progress, accepts no new ones, and exits with 0; the data is there afterwards', async () => {
    const environment = await fresh();
    const olga = await createRealm(environment.variables);
    const server = await startServer({ ...environment.variables, PARLEY_METRICS_PORT: '0' });
    const api = apiOf(server, olga);
    await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['realm'] });
    const poll = api.getEvents({ queue_id, last_event_id });
    await expect.poll(() => server.waitingPolls()).toBe(1);
    const sent = Array.from({ length: 20 }, (_, n) =>
      api.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: `soup ${n}` }).catch(() => undefined),
    );
    const started = Date.now();
    const ended = server.end('SIGTERM');
    expect(await poll).toEqual({ events: [] });
    const answered = (await Promise.all(sent)).flatMap((answer) => answer?.id ?? []);
    expect(await ended).toBe(0);
    expect(Date.now() - started).toBeLessThan(30_000);
    await expect(fetch(`${server.url}/readyz`)).rejects.toThrow();

    const again = await startServer(environment.variables);
    const { messages } = await apiOf(again, olga).getMessages({
      anchor: 'newest',
      num_before: 100,
      num_after: 0,
      narrow: [],
    });
    expect(messages.map(({ id }) => id)).toEqual(expect.arrayContaining(answered));
    await again.end('SIGTERM');
    await environment.remove();
  });
});
