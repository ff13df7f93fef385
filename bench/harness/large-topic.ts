// Two streams with background load during a large operation on a topic of one of them.
import { type Probe, type ProbeTimes, p99, runDuring, runIdle } from './background-load.ts';
import { addMessages, addStreams, addUsers, type BenchStream, join, settle } from './fill.ts';
import type { Harness } from './harness.ts';
import type { BenchUser } from './http.ts';
import { type LongestWait, longestLockWait } from './locks.ts';
import { atMost, type MeasurementRow, TIMES } from './measurement.ts';
import type { BenchOrganization } from './organization.ts';
import type { BenchServer } from './server.ts';
import { longest, median, timed } from './times.ts';

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
  /** The longest of all works. */
  readonly lock: LongestWait;
  /** The median time of a work. */
  readonly ms: number;
}

/**
 * Runs works with background load, after measuring the same load on an idle server. Each has an idle time of its own
 * before it, because the speed of the machine changes within a minute. During one work of 5 seconds there are 160
 * waits, of which p99 is the second longest: so works that are short take several turns.
 */
export async function measureBackground(
  harness: Harness,
  { organization }: LargeTopicFixture,
  probes: readonly Probe[],
  ...works: readonly (() => Promise<unknown>)[]
): Promise<BackgroundTimes> {
  const idle: ProbeTimes[] = [];
  const busy: ProbeTimes[] = [];
  const locks: LongestWait[] = [];
  const times: number[] = [];
  for (const work of works) {
    // Watching locks costs the database something, so it is done in both cases.
    await longestLockWait(organization, async () => void idle.push(await runIdle(probes, harness.span(15))));
    const during = () => runDuring(probes, async () => void times.push(await timed(work)));
    locks.push(await longestLockWait(organization, async () => void busy.push(await during())));
  }
  const lock = locks.reduce((one, other) => (one.ms >= other.ms ? one : other));
  return { idle: together(idle), busy: together(busy), lock, ms: median(times) };
}

const together = (rounds: readonly ProbeTimes[]): ProbeTimes =>
  Object.fromEntries(Object.keys(rounds[0] ?? {}).map((name) => [name, rounds.flatMap((round) => round[name] ?? [])]));

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
        'ms, each': took,
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
