// More requests than the server can handle: the throughput and latency that remain, and whether polls and health checks
// go on.
import { encodeForm } from '@parley/client';
import { startChild } from './harness/child.ts';
import { addStreams, addUsers, join, settle } from './harness/fill.ts';
import type { Harness } from './harness/harness.ts';
import type { Load, LoadRequest, LoadResult } from './harness/load-process.ts';
import { atLeast, atMost, equal, type Measurement, TIMES } from './harness/measurement.ts';
import { percentile } from './harness/times.ts';

const USERS = 400;
/** The number of concurrent requests that keeps the server busy. */
const AT_ONCE = 16;
/** Requests per second of a server with little to do. */
const IDLE = 20;
const OVERLOAD = 3;

export const overload: Measurement = {
  name: 'overload',
  async run(harness) {
    const organization = await harness.organization();
    const users = await addUsers(organization, USERS);
    const [stream] = await addStreams(organization, 1);
    if (!stream) throw new Error('There is no stream.');
    await join(organization, [stream], users);
    await settle(organization);
    const server = await harness.server(organization);
    const { port } = server;
    const message = encodeForm({ type: 'stream', to: stream.id, topic: 'soup', content: 'Soup is ready.' }).toString();
    const requests = users.map(({ login }) => ({ method: 'POST', path: '/api/v1/messages', login, body: message }));
    const seconds = Math.max(2, harness.size(10));
    const load = await startLoad(harness);
    const full = { port, requests, atOnce: AT_ONCE };
    await load({ ...full, seconds: 3 });
    const idle = await load({ port, requests, seconds, rate: IDLE });
    const cpuOf = async (work: () => Promise<LoadResult>) => {
      const before = await server.cpu();
      const result = await work();
      return { result, cpu: ((await server.cpu()) - before) / result.times.length };
    };
    const atCapacity = await cpuOf(() => load({ ...full, seconds }));
    const capacity = atCapacity.result.times.length / seconds;
    const { text } = await server.request(organization.owner, 'POST /register', { event_types: ['heartbeat'] });
    const { queue_id, last_event_id } = JSON.parse(text) as { queue_id: string; last_event_id: number };
    const others = await startLoad(harness);
    const poll = `/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`;
    const beside: LoadRequest[] = [
      { method: 'GET', path: '/livez' },
      { method: 'GET', path: '/readyz' },
      { method: 'GET', path: poll, login: organization.owner.login },
    ];
    const [{ result: served, cpu }, besides] = await Promise.all([
      cpuOf(() => load({ port, requests, seconds, rate: OVERLOAD * capacity })),
      others({ port, requests: beside, seconds, rate: 30 }),
    ]);
    const figures = {
      'a second, at capacity': capacity,
      'a second, offered': served.sent / seconds,
      'rejected early': await server.rejectedEarly(),
      ...Object.fromEntries(Object.entries(served.statuses).map(([status, count]) => [`status ${status}`, count])),
    };
    const p99 = (result: LoadResult) => percentile(result.times, 0.99);
    return [
      atLeast({
        compared: `messages sent at ${OVERLOAD} times the capacity, against the capacity`,
        value: (100 * served.times.length) / seconds / capacity,
        limit: 80,
        unit: ' %',
        figures,
      }),
      atMost({
        compared: 'p99 of the messages that were sent then, against a server with little to do',
        value: p99(served) / p99(idle),
        limit: 10,
        unit: TIMES,
        figures: { 'ms, idle': p99(idle), 'ms, overload': p99(served) },
      }),
      atMost({
        compared: 'CPU of the server for each message that was sent then, against the capacity',
        value: cpu / atCapacity.cpu,
        limit: 1.5,
        unit: TIMES,
        figures: { 'ms, at capacity': atCapacity.cpu, 'ms, overload': cpu },
      }),
      equal('polls and health checks meanwhile: sent, and served', [besides.sent, besides.statuses[200] ?? 0], {
        'ms, p99': p99(besides),
      }),
    ];
  },
};

async function startLoad(harness: Harness): Promise<(load: Load) => Promise<LoadResult>> {
  const child = await startChild('load-process.ts', {});
  harness.atEnd(() => child.stop());
  return (load) => child.call('run', load);
}
