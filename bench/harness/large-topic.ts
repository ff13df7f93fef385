// Two streams with background load during a large operation on a topic of one of them.
import { type Probe, type ProbeTimes, p99, runDuring, runIdle } from './background-load.ts';
import { addMessages, addStreams, addUsers, type BenchStream, join, settle } from './fill.ts';
import type { Harness } from './harness.ts';
import type { BenchUser } from './http.ts';
import { type LongestWait, longestLockWait } from './locks.ts';
import { atMost, type MeasurementRow, TIMES } from './measurement.ts';
import type { BenchOrganization } from './organization.ts';
import type { BenchServer } from './server.ts';
import { longest, timed } from './times.ts';

export const LARGE = 100_000;

export interface LargeTopicFixture {
  readonly organization: BenchOrganization;
  readonly server: BenchServer;
  /** The stream of the large topic. */
  readonly here: BenchStream;
  readonly elsewhere: BenchStream;
  readonly users: readonly BenchUser[];
  /** The number of messages of the large topic. */
  readonly count: number;
  /** The first of them. */
  readonly first: number;
  readonly topic: string;
}

export async function createLargeTopic(harness: Harness): Promise<LargeTopicFixture> {
  const organization = await harness.organization();
  const users = await addUsers(organization, 20);
  const [here, elsewhere] = await addStreams(organization, 2);
  if (!here || !elsewhere) throw new Error('There is no stream.');
  await join(organization, [here, elsewhere], [organization.owner, ...users]);
  for (const stream of [here, elsewhere])
    await addMessages(organization, { stream, topic: 'small talk', by: users, count: 1000 });
  const topic = 'long story';
  const count = harness.size(LARGE, 200);
  const [first = 0] = await addMessages(organization, { stream: here, topic, by: users, count });
  await settle(organization);
  return { organization, server: await harness.server(organization), here, elsewhere, users, count, first, topic };
}

/** Users who send and read in another topic of the same stream, and in another stream. */
export function createProbes({ server, here, elsewhere, users }: LargeTopicFixture): Probe[] {
  const [anyUser] = users;
  if (!anyUser) throw new Error('There is no user.');
  return [here, elsewhere].flatMap((stream) => {
    const where = stream === here ? 'in the same stream' : 'elsewhere';
    const narrow = [
      { operator: 'stream', operand: stream.id },
      { operator: 'topic', operand: 'small talk' },
    ];
    const message = { type: 'stream', to: stream.id, topic: 'small talk', content: 'Soup is ready.' };
    return [
      { name: `writing ${where}`, run: () => server.request(anyUser, 'POST /messages', message) },
      {
        name: `reading ${where}`,
        run: () => server.request(anyUser, 'GET /messages', { anchor: 'newest', num_before: 50, num_after: 0, narrow }),
      },
    ];
  });
}

export interface BackgroundTimes {
  readonly idle: ProbeTimes;
  readonly busy: ProbeTimes;
  readonly lock: LongestWait;
  /** The time of `work`. */
  readonly ms: number;
}

/** Runs work with background load, after measuring the same load on an idle server. */
export async function measureBackground(
  harness: Harness,
  { organization }: LargeTopicFixture,
  probes: readonly Probe[],
  work: () => Promise<unknown>,
): Promise<BackgroundTimes> {
  let idle: ProbeTimes = {};
  // Watching locks costs the database something, so it is done in both cases.
  await longestLockWait(organization, async () => {
    idle = await runIdle(probes, harness.span(15));
  });
  let took = 0;
  let busy: ProbeTimes = {};
  const lock = await longestLockWait(organization, async () => {
    busy = await runDuring(probes, async () => {
      took = await timed(work);
    });
  });
  return { idle, busy, lock, ms: took };
}

/** No probe waits longer than twice its time on an idle server, nor for a lock. */
export function toWaitRows(what: string, { idle, busy, lock, ms: took }: BackgroundTimes): MeasurementRow[] {
  const each = Object.entries(busy).map(([name, waits]) => [`longest ${name}, ms`, longest(waits)]);
  return [
    atMost({
      compared: `what others wait during ${what}, p99, against an idle server`,
      value: p99(busy) / p99(idle),
      limit: 2,
      unit: TIMES,
      figures: {
        'ms, in all': took,
        'p99, ms': p99(busy),
        'p99 when idle, ms': p99(idle),
        ...Object.fromEntries(each),
      },
    }),
    atMost({
      compared: `the longest wait for a lock during ${what}`,
      value: lock.ms,
      limit: 100,
      unit: ' ms',
      figures: lock.ms > 0 ? { waiting: lock.waiting, holding: lock.holding } : {},
    }),
  ];
}

/** Repeats the request to delete a topic until it is deleted. */
export async function deleteTopic(
  { server, organization }: LargeTopicFixture,
  stream: BenchStream,
  topic_name: string,
): Promise<void> {
  for (;;) {
    const { text } = await server.request(organization.owner, `POST /streams/${stream.id}/delete_topic`, {
      topic_name,
    });
    if ((JSON.parse(text) as { complete: boolean }).complete) return;
  }
}
