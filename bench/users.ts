// How many users one machine serves: simulated users who register, follow, read, scroll, mark, type, react, search and
// send at the rate of a published model.
import { type Child, startChild } from './harness/child.ts';
import { databaseCpuOf } from './harness/database-cpu.ts';
import { addMessages, addStreams, addUsers, join, settle } from './harness/fill.ts';
import type { Harness } from './harness/harness.ts';
import { atLeast, type Measurement, type MeasurementRow, printRow, shown } from './harness/measurement.ts';
import { type OperatorServer, startOperatorServer } from './harness/operator-server.ts';
import type { BenchOrganization } from './harness/organization.ts';
import { SECRET } from './harness/postgres.ts';
import { percentile } from './harness/times.ts';
import type { SimulatedUser, UserLoadOptions, UserLoadResult } from './harness/users-process.ts';

/** Numbers of users, the smallest first. */
const CROWDS = [250, 500, 1000, 1500, 2000, 3000, 4000];
/** Milliseconds within which 99 of 100 requests of each kind, and 99 of 100 deliveries, must complete. */
const ACTION = 500;
const DELIVERY = 250;
/** The target number of users that follow by streams. */
const AIM = 2000;
/** Users in a stream, and streams that each user is subscribed to; one more stream has all users. */
const MEMBERS = 50;
const STREAMS = 10;
const CONTACTS = 5;
const HISTORY = 200;
/** Users who register per second. */
const ARRIVALS = 20;

export const users: Measurement = {
  name: 'users',
  async run(harness) {
    const rows: MeasurementRow[] = [];
    for (const way of WAYS) rows.push(await findLargestCrowd(harness, way));
    return rows;
  },
};

/** `rate`: of users' actions, as a multiple of the model's. */
interface Way extends Pick<UserLoadOptions, 'by' | 'rate'> {
  readonly processes: number;
}

const WAYS: readonly Way[] = [
  { by: 'stream', rate: 1, processes: 1 },
  { by: 'stream', rate: 1, processes: 2 },
  { by: 'stream', rate: 0.1, processes: 1 },
  { by: 'stream', rate: 10, processes: 1 },
  { by: 'polls', rate: 1, processes: 1 },
];

interface CrowdResult extends UserLoadResult {
  readonly users: number;
  readonly seconds: number;
  /** Milliseconds of CPU. */
  readonly server: number;
  readonly database: number;
}

async function findLargestCrowd(harness: Harness, way: Way): Promise<MeasurementRow> {
  const sizes = [...new Set(CROWDS.map((count) => harness.size(count, MEMBERS)))];
  let [best, next]: (CrowdResult | undefined)[] = [];
  // Bisection: a crowd takes minutes, and if one is too large, so are all larger ones.
  let [low, high] = [0, sizes.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const result = await runCrowd(harness, sizes[middle] ?? 0, way);
    if (problemsOf(result).length > 0) [next, high] = [result, middle];
    else [best, low] = [result, middle + 1];
  }
  const { by, rate, processes } = way;
  const compared = `users who follow by ${by === 'stream' ? 'streams' : 'polls'} and act ${rate === 1 ? 'as often as' : `${rate} times as often as`} in the model${processes === 1 ? '' : `, with ${processes} processes of the server`}: the most with p99 below ${ACTION} ms, deliveries ${DELIVERY} ms`;
  const figures = {
    ...figuresOf(best),
    'the next crowd': next ? problemsOf(next).join(', ') : 'was not tried',
  };
  const value = best?.users ?? 0;
  if (by === 'stream' && rate === 1 && processes === 1)
    return atLeast({ compared, value, limit: harness.size(AIM, MEMBERS), unit: '', figures });
  return printRow(compared, shown(value), figures);
}

/** Kinds of requests that took too long or failed. */
function problemsOf({ times, deliveries, failures, users }: CrowdResult): string[] {
  const slow = Object.entries(times)
    .map(([name, all]) => [name, percentile(all, 0.99)] as const)
    .filter(([, p99]) => p99 > ACTION)
    .map(([name, p99]) => `${name}: ${shown(p99)} ms`);
  const late = percentile(deliveries, 0.99);
  const failed = Object.entries(failures).map(([what, count]) => `${shown(count)} times ${what}`);
  const problems = [...slow, ...(late > DELIVERY ? [`deliveries: ${shown(late)} ms`] : []), ...failed];
  return problems.length > 0 ? [`${shown(users)} users`, ...problems] : [];
}

function figuresOf(result: CrowdResult | undefined) {
  if (!result) return {};
  const { times, deliveries, seconds, server, database, cpu } = result;
  const ofCore = (ms: number) => `${shown(ms / seconds / 10)} % of a core`;
  return {
    ...Object.fromEntries(Object.entries(times).map(([name, all]) => [`ms, ${name}`, percentile(all, 0.99)])),
    'ms, deliveries': percentile(deliveries, 0.99),
    'deliveries a second': deliveries.length / seconds,
    server: ofCore(server),
    PostgreSQL: ofCore(database),
    'the load': ofCore(cpu),
  };
}

async function runCrowd(harness: Harness, count: number, way: Way): Promise<CrowdResult> {
  const organization = await harness.organization();
  const crowd = await settleCrowd(organization, count);
  const server = await startOperatorServer(harness, {
    DATABASE_URL: organization.url,
    PARLEY_SECRET: SECRET,
    PARLEY_RATE_LIMITS: 'off',
    PARLEY_PROCESSES: String(way.processes),
  });
  const load = await startChild('users-process.ts', {});
  harness.atEnd(() => load.stop());
  try {
    return await measureCrowd({ organization, server, load }, crowd, way, harness.span(60) / 1000);
  } finally {
    await load.call('leave');
    await load.stop();
    await server.stop();
  }
}

interface Target {
  readonly organization: BenchOrganization;
  readonly server: OperatorServer;
  readonly load: Child;
}

async function measureCrowd(
  { organization, server, load }: Target,
  crowd: SimulatedUser[],
  { by, rate }: Way,
  seconds: number,
) {
  await load.call('configure', { port: server.port, by, rate } satisfies UserLoadOptions);
  await load.call('enter', { simulated: crowd, rate: ARRIVALS });
  const before = server.cpu();
  let result: UserLoadResult | undefined;
  const database = await databaseCpuOf(organization, async () => {
    result = await load.call<UserLoadResult>('act', seconds);
  });
  if (!result) throw new Error('There is no result.');
  return { ...result, users: crowd.length, seconds, server: server.cpu() - before, database };
}

/** An organization with streams of fifty users each, some with history. */
async function settleCrowd(organization: BenchOrganization, count: number): Promise<SimulatedUser[]> {
  const users = await addUsers(organization, count);
  const groups = Math.max(1, Math.floor((count * STREAMS) / MEMBERS));
  const [commonStream, ...streams] = await addStreams(organization, groups + 1);
  if (!commonStream) throw new Error('There is no stream.');
  await join(organization, [commonStream], users);
  // Every tenth user from an offset on: streams overlap, and each user is in ten.
  const membersOf = (n: number) =>
    Array.from(
      { length: Math.min(MEMBERS, count) },
      (_, k) => users[(n * 7 + k * Math.max(1, Math.floor(count / MEMBERS))) % count],
    ).flatMap((user) => (user ? [user] : []));
  const own = new Map(users.map(({ id }) => [id, [] as { id: number; name: string }[]]));
  for (const [n, stream] of streams.entries()) {
    const members = [...new Set(membersOf(n))];
    await join(organization, [stream], members);
    await addMessages(organization, { stream, topic: 'soup', by: members, count: HISTORY });
    for (const { id } of members) own.get(id)?.push(stream);
  }
  await settle(organization);
  return users.map((user, n) => ({
    ...user,
    streams: own.get(user.id)?.length ? (own.get(user.id) ?? []) : [commonStream],
    contacts: Array.from({ length: CONTACTS }, (_, k) => users[(n + 1 + k * 13) % count]?.id ?? user.id),
  }));
}
