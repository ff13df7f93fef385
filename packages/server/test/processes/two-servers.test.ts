// Two servers on one database.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createPostgresEnvironment,
  createRealm,
  endServers,
  type Login,
  type Process,
  parley,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

vi.setConfig({ testTimeout: 180_000 });
afterAll(endServers);

describe.runIf(onPostgres)('two servers on one PostgreSQL', () => {
  let environment: TestEnvironment;
  let servers: [Process, Process];
  let olga: Login;
  beforeAll(async () => {
    environment = await createPostgresEnvironment();
    olga = await createRealm(environment.variables);
    const variables = { ...environment.variables, PARLEY_METRICS_PORT: '0' };
    servers = await Promise.all([startServer(variables), startServer(variables)]);
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.end('SIGTERM')));
    await environment.remove();
  });

  test('a queue of one is polled on the other, and events of both come once and in order', async () => {
    const [here, there] = [apiOf(servers[0], olga), apiOf(servers[1], olga)];
    await here.subscribe({ subscriptions: [{ name: 'kitchen' }] });
    const { queue_id, last_event_id } = await here.registerQueue({ event_types: ['message'] });
    const sending = sendAlternately([here, there], 40);
    const heard: { id: number; message_id: number }[] = [];
    for (let last = last_event_id; heard.length < 40; ) {
      const { events } = await (heard.length % 3 === 0 ? here : there).getEvents({ queue_id, last_event_id: last });
      for (const event of events) {
        last = event.id;
        if (event.type === 'message') heard.push({ id: event.id, message_id: event.message.id });
      }
    }
    expect(heard.map(({ message_id }) => message_id)).toEqual(await sending);
    expect(heard.map(({ id }) => id)).toEqual(heard.map(({ id }) => id).toSorted((a, b) => a - b));
    const { events } = await here.getEvents({ queue_id, last_event_id: heard.at(-1)?.id ?? 0, dont_block: true });
    expect(events).toEqual([]);
  });

  test('a poll that moves to the other server ends the one at the first server', async () => {
    const [here, there] = [apiOf(servers[0], olga), apiOf(servers[1], olga)];
    const { queue_id, last_event_id } = await here.registerQueue({ event_types: ['realm'] });
    const left = here.getEvents({ queue_id, last_event_id });
    await expect.poll(() => servers[0].waitingPolls()).toBe(1);
    const moved = there.getEvents({ queue_id, last_event_id });
    expect(await left).toEqual({ events: [] });
    await expect.poll(() => servers[1].waitingPolls()).toBe(1);
    await here.deleteQueue({ queue_id });
    expect(await moved).toEqual({ events: [] });
  });

  test('a rate limit counts the requests of both', async () => {
    const limited = { ...environment.variables, PARLEY_RATE_LIMITS: '{"account":"600:20"}' };
    const both = await Promise.all([startServer(limited), startServer(limited)]);
    const codes: number[] = [];
    for (let n = 0; n < 30; n++) {
      const server = both[n % 2] as Process;
      codes.push(await statusOf(server, olga));
    }
    expect(codes.filter((code) => code === 200)).toHaveLength(20);
    expect(codes.filter((code) => code === 429)).toHaveLength(10);
    await Promise.all(both.map((server) => server.end('SIGTERM')));
  });

  test('events of the command line are delivered by both', async () => {
    const [here, there] = [apiOf(servers[0], olga), apiOf(servers[1], olga)];
    const heard = [here, there].map(async (api) => {
      const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['realm'] });
      return (await api.getEvents({ queue_id, last_event_id })).events;
    });
    for (const server of servers) await expect.poll(() => server.waitingPolls()).toBe(1);
    const { code } = await parley(['realm', 'set', '', 'digest_weekday', '3'], environment.variables);
    expect(code).toBe(0);
    for (const events of await Promise.all(heard)) {
      expect(events).toMatchObject([{ type: 'realm', property: 'digest_weekday', value: 3 }]);
    }
  });
});

async function sendAlternately(apis: ReturnType<typeof apiOf>[], count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    const api = apis[n % apis.length] as ReturnType<typeof apiOf>;
    ids.push((await api.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: `soup ${n}` })).id);
  }
  return ids;
}

function statusOf({ url }: Process, { email, api_key }: Login): Promise<number> {
  const headers = { Host: `localhost:${new URL(url).port}`, Authorization: `Basic ${btoa(`${email}:${api_key}`)}` };
  return new Promise((resolve, reject) => {
    request(`${url}/api/v1/users/me`, { headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}
