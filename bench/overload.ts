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
/** Requests beside the overload, per second. */
const BESIDE = 30;
const OVERLOAD = 3;
/** The three loads take turns, because the speed of the machine changes within a minute. */
const ROUNDS = 4;
/** Seconds of each load in a round. */
const SECONDS = 10;

export const overload: Measurement = {
  name: 'overload',
  async run(harness) {
    const loads = await prepareLoads(harness);
    let [idle, full, over, beside] = [NOTHING, NOTHING, NOTHING, NOTHING];
    // Code that has not run often yet is slower: the first seconds of each load do not count.
    await loads.over(await loads.full());
    for (let round = 0; round < ROUNDS; round++) {
      idle = add(idle, await loads.idle());
      const atCapacity = await loads.full();
      full = add(full, atCapacity);
      const [served, besides] = await loads.over(atCapacity);
      over = add(over, served);
      beside = add(beside, besides);
    }
    const figures = {
      'a second, at capacity': goodput(full),
      'a second, offered': over.sent / over.seconds,
      'rejected early': await loads.rejectedEarly(),
      ...Object.fromEntries(Object.entries(over.statuses).map(([status, count]) => [`status ${status}`, count])),
    };
    return [
      atLeast({
        compared: `messages sent at ${OVERLOAD} times the capacity, against the capacity`,
        value: (100 * goodput(over)) / goodput(full),
        limit: 80,
        unit: ' %',
        figures,
      }),
      atMost({
        compared: 'p99 of the messages that were sent then, against a server with little to do',
        value: p99(over) / p99(idle),
        limit: 10,
        unit: TIMES,
        figures: { 'ms, idle': p99(idle), 'ms, overload': p99(over) },
      }),
      atMost({
        compared: 'CPU of the server for each message that was sent then, against the capacity',
        value: cpuOf(over) / cpuOf(full),
        limit: 1.5,
        unit: TIMES,
        figures: { 'ms, at capacity': cpuOf(full), 'ms, overload': cpuOf(over) },
      }),
      equal('polls and health checks meanwhile: sent, and served', [beside.sent, beside.statuses[200] ?? 0], {
        'ms, p99': p99(beside),
      }),
    ];
  },
};

/** Of one load, in one round or in all of them. */
interface Sum extends LoadResult {
  readonly seconds: number;
  /** Milliseconds of CPU of the server. */
  readonly cpu: number;
}

const NOTHING: Sum = { sent: 0, statuses: {}, times: [], seconds: 0, cpu: 0 };

function add(one: Sum, other: Sum): Sum {
  const statuses = { ...one.statuses };
  for (const [status, count] of Object.entries(other.statuses))
    statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count;
  return {
    sent: one.sent + other.sent,
    statuses,
    times: [...one.times, ...other.times],
    seconds: one.seconds + other.seconds,
    cpu: one.cpu + other.cpu,
  };
}

const goodput = ({ times, seconds }: Sum): number => times.length / seconds;
const p99 = ({ times }: Sum): number => percentile(times, 0.99);
const cpuOf = ({ cpu, times }: Sum): number => cpu / times.length;

interface Loads {
  idle(): Promise<Sum>;
  /** As many requests as the server can handle. */
  full(): Promise<Sum>;
  /** More of them than that, and the requests beside them. */
  over(full: Sum): Promise<readonly [Sum, Sum]>;
  rejectedEarly(): Promise<number>;
}

async function prepareLoads(harness: Harness): Promise<Loads> {
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
  const { text } = await server.request(organization.owner, 'POST /register', { event_types: ['heartbeat'] });
  const { queue_id, last_event_id } = JSON.parse(text) as { queue_id: string; last_event_id: number };
  const poll = `/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`;
  const beside: LoadRequest[] = [
    { method: 'GET', path: '/livez' },
    { method: 'GET', path: '/readyz' },
    { method: 'GET', path: poll, login: organization.owner.login },
  ];
  const [load, others] = [await startLoad(harness), await startLoad(harness)];
  const seconds = Math.max(2, harness.size(SECONDS));
  const measured = async (work: () => Promise<LoadResult>): Promise<Sum> => {
    const before = await server.cpu();
    const result = await work();
    return { ...result, seconds, cpu: (await server.cpu()) - before };
  };
  return {
    idle: () => measured(() => load({ port, requests, seconds, rate: IDLE })),
    full: () => measured(() => load({ port, requests, seconds, atOnce: AT_ONCE })),
    over: (full) =>
      Promise.all([
        measured(() => load({ port, requests, seconds, rate: OVERLOAD * goodput(full) })),
        measured(() => others({ port, requests: beside, seconds, rate: BESIDE })),
      ]),
    rejectedEarly: () => server.rejectedEarly(),
  };
}

async function startLoad(harness: Harness): Promise<(load: Load) => Promise<LoadResult>> {
  const child = await startChild('load-process.ts', {});
  harness.atEnd(() => child.stop());
  return (load) => child.call('run', load);
}
