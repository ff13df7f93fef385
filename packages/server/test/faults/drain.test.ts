// Between the signal and the end: a server to which load balancers still send goes on serving.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openStream } from '../event-stream.ts';
import {
  apiOf,
  createEmbeddedEnvironment,
  createRealm,
  endServers,
  type Login,
  type Process,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

vi.setConfig({ testTimeout: 120_000 });

let environment: TestEnvironment;
let olga: Login;
beforeAll(async () => {
  environment = await createEmbeddedEnvironment();
  olga = await createRealm(environment.variables);
});
afterAll(async () => {
  await endServers();
  await environment.remove();
});

const start = (drain: string) =>
  startServer({ ...environment.variables, PARLEY_METRICS_PORT: '0', PARLEY_DRAIN: drain, PARLEY_GRACE: '60' });

/** Sends a request over one connection that is kept open if the server allows it. */
async function send(server: Process, path: string, agent: Agent) {
  const headers = {
    Host: `localhost:${new URL(server.url).port}`,
    Authorization: `Basic ${btoa(`${olga.email}:${olga.api_key}`)}`,
  };
  const sent = request(`${server.url}${path}`, { headers, agent }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode, headers: received } = response;
  return { status: statusCode, connection: received.connection, body: await json(response) };
}

const isDraining = async (server: Process) => (await send(server, '/readyz', new Agent())).status === 503;

describe('a server that drains', () => {
  test('reports it, ends waiting polls, serves new requests with the last response of each connection, and then closes', async () => {
    const server = await start('10');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const polling = new Agent({ keepAlive: true, maxSockets: 1 });
    const api = apiOf(server, olga);
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['realm'] });
    expect((await send(server, '/api/v1/users/me', agent)).connection).toBe('keep-alive');
    const events = `/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}`;
    const poll = send(server, events, polling);
    await expect.poll(() => server.waitingPolls(), { timeout: 30_000 }).toBe(1);
    const ended = once(server.child, 'close');
    server.child.kill('SIGTERM');
    expect(await poll).toMatchObject({ status: 200, connection: 'close', body: { events: [] } });
    expect(await send(server, '/readyz', agent)).toMatchObject({
      status: 503,
      connection: 'close',
      body: { status: 'draining', reason: expect.any(String) },
    });
    const late = send(server, events, polling);
    await expect.poll(() => server.waitingPolls()).toBe(1);
    expect(await send(server, '/api/v1/users/me', agent)).toMatchObject({ status: 200, connection: 'close' });
    await api.updateRealm({ name: 'Draining' });
    expect(await late).toMatchObject({ status: 200, body: { events: [{ type: 'realm' }] } });
    expect(await ended).toEqual([0, null]);
    await expect(fetch(`${server.url}/livez`)).rejects.toThrow();
  });

  test('ends streams, whose clients continue at the next server from their last event', async () => {
    const server = await start('10');
    const api = apiOf(server, olga);
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['realm'] });
    const target = { host: 'localhost', login: { email: olga.email, apiKey: olga.api_key }, queue_id };
    const port = Number(new URL(server.url).port);
    const stream = await openStream({ ...target, port, last_event_id });
    await api.updateRealm({ name: 'Before' });
    await expect.poll(() => stream.events.length, { timeout: 30_000 }).toBe(1);
    const ended = once(server.child, 'close');
    server.child.kill('SIGTERM');
    await stream.ended;
    expect(stream.response.complete).toBe(true);
    await api.updateRealm({ name: 'Draining' });
    // A stream that begins while the server drains ends with the server.
    const late = await openStream({ ...target, port, last_event_id: stream.events[0]?.id ?? 0 });
    await expect.poll(() => late.events.length, { timeout: 30_000 }).toBe(1);
    expect(await ended).toEqual([0, null]);
    await late.ended;
    const next = await start('0');
    const resumed = await openStream({
      ...target,
      port: Number(new URL(next.url).port),
      last_event_id: late.events[0]?.id ?? 0,
    });
    await apiOf(next, olga).updateRealm({ name: 'After' });
    await expect
      .poll(() => resumed.events.filter(({ type }) => type === 'realm'), { timeout: 30_000 })
      .toMatchObject([{ value: 'After' }]);
    resumed.close();
    await next.end('SIGTERM');
  });

  test('ends at once at the second signal', async () => {
    const server = await start('3600');
    const ended = once(server.child, 'close');
    server.child.kill('SIGTERM');
    await expect.poll(() => isDraining(server)).toBe(true);
    // Signals of the first second are copies of the first one.
    const again = setInterval(() => server.child.kill('SIGTERM'), 200);
    expect(await ended).toEqual([null, 'SIGTERM']);
    clearInterval(again);
  });
});
