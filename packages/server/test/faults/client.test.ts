// kill -9 while a program follows events and another writes: each message is written once and delivered once.

import { createClient } from '@parley/client';
import { createStreamingFetch } from '@parley/client/stream';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  createEmbeddedEnvironment,
  createPostgresEnvironment,
  createRealm,
  endServers,
  type Login,
  type Process,
  startServer,
  type TestEnvironment,
} from '../parley.ts';
import { collectEvents } from '../sdk/collect-events.ts';
import { startConnectionProxy } from '../sdk/connection-proxy.ts';

vi.setConfig({ testTimeout: 300_000 });
afterAll(endServers);

const portOf = ({ url }: Process): number => Number(new URL(url).port);
const clientOf = (url: string, { email, api_key }: Login, transport: Transport = 'polls') =>
  createClient(url, {
    login: { email, apiKey: api_key },
    retries: 30,
    ...(transport === 'stream' && { fetch: createStreamingFetch() }),
  });
/** How the listener follows its queue. */
type Transport = 'polls' | 'stream';
const transports: Transport[] = ['polls', 'stream'];
const MESSAGES = 24;

const environments = [
  { on: 'the embedded database', fresh: createEmbeddedEnvironment, kills: 1 },
  ...(onPostgres ? [{ on: 'PostgreSQL', fresh: createPostgresEnvironment, kills: 2 }] : []),
];
const rooms = environments.flatMap((environment) => transports.map((transport) => ({ ...environment, transport })));

describe.each(rooms)('a server on $on that is killed and started again', ({ fresh, kills, transport }) => {
  test(`goes on where its listeners and writers were: ${transport}`, async () => {
    const environment = await fresh();
    const olga = await createRealm(environment.variables);
    let server = await startServer(environment.variables);
    const door = await startConnectionProxy(portOf(server));
    const client = clientOf(door.url, olga, transport);
    const events = await follow(client);
    const out = collectEvents(events);
    const said: string[] = [];
    for (let round = 0; round < kills; round++) {
      const sends = sendAll(client, round, said);
      await sends.half;
      await server.end('SIGKILL');
      server = await startServer(environment.variables);
      door.lead(portOf(server));
      await sends.all;
    }
    await client.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'end' });
    const { heard, resyncs } = await out;
    expect(heard.sort()).toEqual(said.sort());
    expect(resyncs).toBe(0);
    await leave(environment, door, server);
  });
});

test.each(environments)(
  'a listener by stream receives the messages of a writer in order, while a server on $on is killed',
  async ({ fresh }) => {
    const environment = await fresh();
    const olga = await createRealm(environment.variables);
    let server = await startServer(environment.variables);
    const door = await startConnectionProxy(portOf(server));
    const client = clientOf(door.url, olga, 'stream');
    const out = collectEvents(await follow(client));
    const said: string[] = [];
    const say = async (content: string) => {
      const key = { idempotencyKey: crypto.randomUUID() };
      await client.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content }, key);
    };
    for (let n = 0; n < 40; n++) {
      said.push(`soup ${n}`);
      const sending = say(`soup ${n}`);
      if (n % 15 === 14) {
        await server.end('SIGKILL');
        server = await startServer(environment.variables);
        door.lead(portOf(server));
      }
      await sending;
    }
    await say('end');
    expect(await out).toEqual({ heard: said, resyncs: 0 });
    await leave(environment, door, server);
  },
);

/** Two servers need a database that two processes can open. */
const shared = onPostgres ? transports.map((transport) => ({ fresh: createPostgresEnvironment, transport })) : [];
describe.each(shared)('two servers behind one address', ({ fresh, transport }) => {
  test(`appear as one to a listener by ${transport}, when connections move between them and when one is killed`, async () => {
    const environment = await fresh();
    const olga = await createRealm(environment.variables);
    const one = await startServer(environment.variables);
    const two = await startServer(environment.variables);
    const door = await startConnectionProxy(portOf(one), portOf(two));
    const client = clientOf(door.url, olga, transport);
    const out = collectEvents(await follow(client));
    const said: string[] = [];
    for (let round = 0; round < 3; round++) {
      const sends = sendAll(client, round, said);
      await sends.half;
      door.cut();
      await sends.all;
    }
    const last = sendAll(client, 3, said);
    await last.half;
    await one.end('SIGKILL');
    door.lead(portOf(two));
    await last.all;
    await client.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'end' });
    const { heard, resyncs } = await out;
    expect(heard.sort()).toEqual(said.sort());
    expect(resyncs).toBe(0);
    await leave(environment, door, two);
  });
});

async function follow(client: ReturnType<typeof clientOf>) {
  await client.subscribe({ subscriptions: [{ name: 'kitchen' }] });
  const events = client.events({ types: ['message'], narrow: [['topic', 'soup']] });
  await events.open();
  return events;
}

/** Sends messages concurrently, each under a key, so that one whose response was lost is not sent twice. */
function sendAll(client: ReturnType<typeof clientOf>, round: number, said: string[]) {
  let arrived = 0;
  let halfway = () => {};
  const half = new Promise<void>((resolve) => {
    halfway = resolve;
  });
  const sends = Array.from({ length: MESSAGES }, async (_, n) => {
    const content = `soup ${round}.${n}`;
    said.push(content);
    const key = { idempotencyKey: crypto.randomUUID() };
    await client.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content }, key);
    if (++arrived === MESSAGES / 3) halfway();
  });
  return { half, all: Promise.all(sends) };
}

async function leave(environment: TestEnvironment, door: { close(): Promise<void> }, server: Process): Promise<void> {
  await door.close();
  await server.end('SIGTERM');
  await environment.remove();
}
