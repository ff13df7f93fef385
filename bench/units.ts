// The cost of one request: CPU time of the server and of PostgreSQL, in units of what a node:http server spends on a
// response.
import { encodeForm } from '@parley/client';
import { type Child, startChild } from './harness/child.ts';
import { databaseCpuOf } from './harness/database-cpu.ts';
import { addMessages, addStreams, addUsers, join, removeQueues, settle } from './harness/fill.ts';
import type { FollowRequests } from './harness/follower-process.ts';
import type { Harness } from './harness/harness.ts';
import type { BenchUser } from './harness/http.ts';
import type { LoadRequest, LoadResult } from './harness/load-process.ts';
import { atMost, type Measurement, type MeasurementRow } from './harness/measurement.ts';
import type { BenchOrganization } from './harness/organization.ts';
import type { BenchServer } from './harness/server.ts';
import { median, pause } from './harness/times.ts';

const ROUNDS = 5;
const SECONDS = 1.5;
/**
 * Requests of each kind in each pass, before they are measured. A server that has run for a while does not compile. V8 compiles what
 * runs often, and again what it has compiled for one kind of request when others come: after 6,000 messages it still compiled 39, 24
 * and 21 functions in rounds of 1.5 s, which took a tenth of the CPU time; after 12,000 more, fewer than 8.
 */
const WARM_UP = 6_000;
const WARM_UP_PASSES = 3;
const AT_ONCE = 4;
/** Accounts that read pages. */
const READERS = 20;
const FOLLOWERS = 50;
const MESSAGES = 20;

/**
 * The maximum cost of each request, in units, and its maximum number of statements. These limits must only be lowered.
 */
const bars = {
  'GET /users/me': { server: 8, database: 0.5, statements: 1 },
  'POST /messages': { server: 35, database: 18, statements: 4 },
  'GET /messages': { server: 30, database: 20, statements: 2 },
  'POST /register': { server: 60, database: 40, statements: 8 },
  'a poll and its delivery': { server: 8, database: 1, statements: 1 },
} as const;

interface UnitCost {
  /** Microseconds of CPU time of the server. */
  readonly server: number;
  /** Microseconds of CPU time of PostgreSQL. */
  readonly database: number;
  readonly statements: number;
}

interface Target {
  readonly organization: BenchOrganization;
  readonly server: BenchServer;
  readonly load: Child;
}

export const units: Measurement = {
  name: 'units',
  async run(harness) {
    const organization = await harness.organization();
    const users = await addUsers(organization, harness.size(200, FOLLOWERS + 1));
    const [stream, followed] = await addStreams(organization, 20);
    const [caller] = users;
    if (!stream || !followed || !caller) throw new Error('There is nothing to send to.');
    const readers = users.slice(0, READERS);
    await join(organization, [stream], readers);
    await join(organization, [followed], users);
    await addMessages(organization, { stream, topic: 'soup', by: users, count: harness.size(10_000, 100) });
    await settle(organization);
    const server = await harness.server(organization, { quiet: true });
    const load = await startChild('load-process.ts', {});
    harness.atEnd(() => load.stop());
    const bare = await startChild('bare-process.ts', { body: '', headers: {} });
    harness.atEnd(() => bare.stop());
    const target = { organization, server, load };
    const message = { type: 'stream', to: stream.id, topic: 'soup', content: 'Soup is **ready**.' };
    const requestsByUnit: Record<Exclude<keyof typeof bars, 'a poll and its delivery'>, LoadRequest[]> = {
      'GET /users/me': [request('GET', '/users/me', caller)],
      'POST /messages': [request('POST', '/messages', caller, message)],
      // Pages of one account are read one after another.
      'GET /messages': readers.map((user) => request('GET', '/messages?anchor=newest&num_before=50&num_after=0', user)),
      // An account has at most 100 queues.
      'POST /register': users.slice(READERS).map((user) => request('POST', '/register', user, {})),
    };
    const unit: number[] = [];
    const costs = new Map<keyof typeof bars, UnitCost[]>(
      Object.keys(bars).map((name) => [name as keyof typeof bars, []]),
    );
    const add = (name: keyof typeof bars, cost: UnitCost) => void costs.get(name)?.push(cost);
    for (let pass = 0; pass < WARM_UP_PASSES; pass++) {
      await bareCost(bare, load, requestsByUnit['POST /messages'][0]);
      for (const one of Object.values(requestsByUnit)) await warmUp(target, one);
      // An account has a few queues, not a hundred.
      await removeQueues(organization);
    }
    await settle(organization);
    for (let round = 0; round < ROUNDS; round++) {
      unit.push(await bareCost(bare, load, requestsByUnit['POST /messages'][0]));
      for (const [name, one] of Object.entries(requestsByUnit))
        add(name as keyof typeof bars, await costOf(target, one));
    }
    const follow = await startFollowers(harness, target, users.slice(1, FOLLOWERS + 1));
    const deliver = async () => follow(await costOfMessagesAlone(target, stream.id), followed.id);
    for (let delivered = 0; delivered < WARM_UP; delivered += MESSAGES * FOLLOWERS) await deliver();
    for (let round = 0; round < ROUNDS; round++) add('a poll and its delivery', await deliver());
    return Object.entries(bars).flatMap(([name, bar]) =>
      rowsOf(name, bar, costs.get(name as keyof typeof bars) ?? [], median(unit)),
    );
  },
};

function request(method: string, path: string, { login }: BenchUser, params?: Record<string, unknown>): LoadRequest {
  const body = params && encodeForm(params as Parameters<typeof encodeForm>[0]).toString();
  return { method, path: `/api/v1${path}`, login, ...(body !== undefined && { body }) };
}

/** Microseconds of CPU time of a server that responds with two bytes. */
async function bareCost(bare: Child, load: Child, loadRequest: LoadRequest | undefined): Promise<number> {
  const port = await bare.call<number>('port');
  const before = await bare.call<number>('cpu');
  const run = { port, requests: [loadRequest], atOnce: AT_ONCE, seconds: SECONDS };
  const { sent } = await load.call<LoadResult>('run', run);
  return (1000 * ((await bare.call<number>('cpu')) - before)) / sent;
}

async function measure({ organization, server }: Target, work: () => Promise<number>): Promise<UnitCost> {
  const before = { cpu: await server.cpu(), statements: await server.statements() };
  let count = 0;
  const database = await databaseCpuOf(organization, async () => {
    count = await work();
  });
  return {
    server: (1000 * ((await server.cpu()) - before.cpu)) / count,
    database: (1000 * database) / count,
    statements: ((await server.statements()) - before.statements) / count,
  };
}

const costOf = (target: Target, requests: readonly LoadRequest[]): Promise<UnitCost> =>
  measure(target, () => send(target, requests));

async function warmUp(target: Target, requests: readonly LoadRequest[]): Promise<void> {
  for (let sent = 0; sent < WARM_UP; ) sent += await send(target, requests);
}

/** Returns how many were sent. */
async function send({ load, server }: Target, requests: readonly LoadRequest[]): Promise<number> {
  const run = { port: server.port, requests, atOnce: AT_ONCE, seconds: SECONDS };
  const { sent, statuses } = await load.call<LoadResult>('run', run);
  if (statuses[200] !== sent) throw new Error(`${requests[0]?.path}: ${JSON.stringify(statuses)}`);
  return sent;
}

/** The cost of a message without followers. Each is sent after the response to the one before. */
const costOfMessagesAlone = (target: Target, stream: number): Promise<UnitCost> =>
  measure(target, async () => {
    for (let n = 0; n < MESSAGES; n++) {
      await sendOne(target, stream, 'soup');
      await pause(2);
    }
    return MESSAGES;
  });

const sendOne = ({ organization, server }: Target, to: number, topic: string) =>
  server.request(organization.owner, 'POST /messages', { type: 'stream', to, topic, content: 'Soup is **ready**.' });

/** Clients that read a stream by polls; returns the cost of one delivery in addition to that of the message. */
async function startFollowers(harness: Harness, target: Target, users: readonly BenchUser[]) {
  const { server } = target;
  const child = await startChild('follower-process.ts', {});
  harness.atEnd(() => child.stop());
  const queues: { queue_id: string; login: string }[] = [];
  let last_event_id = 0;
  for (const user of users) {
    const params = { event_types: ['message'], fetch_event_types: [] };
    const response = JSON.parse((await server.request(user, 'POST /register', params)).text) as {
      queue_id: string;
      last_event_id: number;
    };
    queues.push({ queue_id: response.queue_id, login: user.login });
    last_event_id = Math.max(last_event_id, response.last_event_id);
  }
  await child.call('add', { port: server.port, by: 'polls', last_event_id, queues } satisfies FollowRequests);
  const allWait = async () => {
    while ((await server.waiting()) < users.length) await pause(2);
  };
  await allWait();
  let received = 0;
  return async (send: UnitCost, stream: number): Promise<UnitCost> => {
    const spent = await measure(target, async () => {
      for (let n = 0; n < MESSAGES; n++) {
        await sendOne(target, stream, 'followed');
        await child.call('waitForEvents', ++received);
        await allWait();
      }
      return MESSAGES;
    });
    const perDelivery = (name: keyof UnitCost) => Math.max(0, spent[name] - send[name]) / users.length;
    return { server: perDelivery('server'), database: perDelivery('database'), statements: perDelivery('statements') };
  };
}

function medianOf(costs: readonly UnitCost[]): UnitCost {
  const of = (part: keyof UnitCost) => median(costs.map((cost) => cost[part]));
  return { server: of('server'), database: of('database'), statements: of('statements') };
}

function rowsOf(name: string, bar: UnitCost, costs: readonly UnitCost[], unit: number): MeasurementRow[] {
  const cost = medianOf(costs);
  const of = (part: keyof UnitCost) => cost[part];
  const figures = { 'µs of a unit': unit, 'µs, server': of('server'), 'µs, PostgreSQL': of('database') };
  return [
    atMost({
      compared: `CPU of the server: ${name}`,
      value: of('server') / unit,
      limit: bar.server,
      unit: ' units',
      figures,
    }),
    ...(Number.isNaN(of('database'))
      ? []
      : [
          atMost({
            compared: `CPU of PostgreSQL: ${name}`,
            value: of('database') / unit,
            limit: bar.database,
            unit: ' units',
          }),
        ]),
    atMost({
      compared: `statements: ${name}`,
      value: Number(of('statements').toFixed(2)),
      limit: bar.statements,
      unit: '',
    }),
  ];
}
