// One fault, and random pairs of faults, while users write and follow: no acknowledged message is lost, and none is
// delivered twice.
import { ParleyError } from '@parley/client';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import { apiOf, createRealm, endServers } from '../parley.ts';
import { type FaultInjection, faultInjections } from './fault-injections.ts';
import { type Installation, startInstallation } from './installation.ts';
import { ascending, storedIds } from './ledger.ts';
import { type Following, QueueFollower, TrafficLedger, Writer } from './traffic.ts';

const isLong = process.env.PARLEY_TEST_LONG !== undefined;
/** Processes killed in a long run. */
const KILLS = 200;
const PAIRS = 3;
const MOST_PAIRS = 1_000;
const WRITERS = 4;
const FOLLOWERS: readonly Following[] = ['poll', 'stream', 'poll', 'stream'];
/** Milliseconds in which writes must succeed again, and followers receive them. */
const AGAIN = 60_000;

vi.setConfig({ testTimeout: isLong ? 7_200_000 : 300_000, hookTimeout: 120_000 });

const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 2 ** 31);

interface FaultCombination {
  readonly faults: readonly FaultInjection[];
  /** The servers that the faults affect. */
  readonly targets: readonly number[];
  /** Milliseconds between the two. */
  readonly gap: number;
}

const anyFault = fc.oneof(...faultInjections.map((fault) => ({ weight: fault.weight, arbitrary: fc.constant(fault) })));
const anyPair: fc.Arbitrary<FaultCombination> = fc.record({
  faults: fc.tuple(anyFault, anyFault),
  targets: fc.shuffledSubarray([0, 1, 2], { minLength: 2, maxLength: 2 }),
  gap: fc.integer({ min: 0, max: 1_000 }),
});

interface PairFixture {
  readonly installation: Installation;
  readonly ledger: TrafficLedger;
  readonly writers: readonly Writer[];
  readonly followers: readonly QueueFollower[];
  /** The ids of all messages that the writers sent, as the server returns them. */
  findStored(): Promise<number[]>;
}

let installation: Installation | undefined;
afterAll(async () => {
  await endServers();
  await installation?.stop();
});

/** A short run needs no figures of each fault: its pairs cover all of them in the end. */
const alone = isLong ? faultInjections : [];

describe.runIf(onPostgres)('three servers and a worker', () => {
  test('with two faults at a time lose no acknowledged message, and every follower receives each message once and in order', async () => {
    console.log(`seed: ${seed}`);
    const scene = await startFixture();
    const { servers, worker } = scene.installation;
    const instances = [...servers, worker];
    const killed = () => killsOf(scene.installation);
    for (const fault of alone) await breakAndCheck(scene, { faults: [fault], targets: [0], gap: 0 }, 'alone');
    let pairs = 0;
    for (const pair of fc.sample(anyPair, { seed, numRuns: isLong ? MOST_PAIRS : PAIRS })) {
      await breakAndCheck(scene, pair, `pair ${++pairs}`);
      if (isLong && killed() >= KILLS) break;
    }
    if (isLong) expect(killed(), 'number of kills').toBeGreaterThanOrEqual(KILLS);
    for (const follower of scene.followers) await follower.stop();
    for (const instance of instances) expect(await instance.close(), `seed: ${seed}`).toBe(0);
    const errors = [...scene.ledger.errors].map(([error, count]) => `${count} × ${error}`).join(', ');
    const written = scene.ledger.acknowledged.length;
    console.log(`${pairs} pairs, ${killed()} kills, ${written} messages acknowledged; clients saw ${errors}`);
  });
});

async function startFixture(): Promise<PairFixture> {
  installation = await startInstallation();
  const { servers, worker, direct } = installation;
  const olga = await createRealm(direct);
  await Promise.all([...servers, worker].map((one) => one.start()));
  const ledger = new TrafficLedger();
  const api = () => {
    const process = servers[0]?.process;
    if (!process) throw new Error('The first server is not running.');
    return apiOf(process, olga);
  };
  await api().subscribe({ subscriptions: [{ name: 'kitchen' }] });
  const followers = await Promise.all(
    FOLLOWERS.map(async (following, n) => {
      const queue = await api().registerQueue({ event_types: ['message'] });
      return new QueueFollower(servers, n, olga, queue, following, ledger);
    }),
  );
  for (const follower of followers) follower.start();
  const writers = Array.from({ length: WRITERS }, (_, n) => new Writer(servers, n, olga, ledger));
  return { installation, ledger, writers, followers, findStored: () => retryUnavailable(() => storedIds(api())) };
}

/** A connection that a fault left without a response can make one request fail after the fault. */
async function retryUnavailable<T>(request: () => Promise<T>): Promise<T> {
  const giveUp = performance.now() + AGAIN;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ParleyError && error.status === 503) || performance.now() > giveUp) throw error;
    }
  }
}

/** Injects both faults, and compares what was acknowledged, what is stored, and what each follower received. */
async function breakAndCheck(
  scene: PairFixture,
  { faults, targets, gap }: FaultCombination,
  name: string,
): Promise<void> {
  const { ledger, writers, followers, installation } = scene;
  const about = `${name}: ${faults.map((fault) => fault.name).join(', ')} (servers ${targets}, ${gap} ms), seed: ${seed}`;
  for (const writer of writers) writer.start();
  await writesServed(writers, about);
  const begun = performance.now();
  await Promise.all(
    faults.map(async ({ inject }, n) => {
      await new Promise((resolve) => setTimeout(resolve, n * gap));
      await inject(installation, targets[n] ?? 0);
    }),
  );
  const over = performance.now();
  await writesServed(writers, about);
  const served = performance.now();
  for (const writer of writers) await writer.stop();
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1);
  const pause = longestPause(ledger, begun, served);
  console.log(
    `${about}: ${seconds(over - begun)} s, no write for ${seconds(pause)} s, all ${seconds(served - over)} s after; ${killsOf(installation)} kills`,
  );

  const acknowledged = ascending(ledger.acknowledged.map(({ id }) => id));
  const newest = acknowledged.at(-1);
  await vi
    .waitUntil(() => followers.every(({ heard }) => heard.at(-1)?.message_id === newest), { timeout: AGAIN })
    .catch(() => {});
  const stored = await scene.findStored();
  expect(stored, about).toEqual(acknowledged);
  for (const { heard } of followers) {
    expect(
      heard.map(({ message_id }) => message_id),
      about,
    ).toEqual(stored);
    expect(heard, about).toEqual(followers[0]?.heard);
  }
  expect(ledger.unexplained, about).toEqual([]);
  const { servers, worker } = installation;
  expect(
    [...servers, worker].flatMap(({ unexpected }) => unexpected),
    about,
  ).toEqual([]);
}

/** The number of processes killed so far. */
const killsOf = ({ servers, worker }: Installation): number =>
  [...servers, worker].reduce((sum, { kills }) => sum + kills, 0);

/** Waits until each writer has an acknowledged write that began after this call. */
async function writesServed(writers: readonly Writer[], about: string): Promise<void> {
  const before = writers.map(({ count }) => count);
  const isServed = () => writers.every(({ count }, n) => count >= (before[n] ?? 0) + 2);
  await vi.waitUntil(isServed, { timeout: AGAIN, interval: 10 }).catch(() => {
    throw new Error(`The servers accept no writes: ${about}`);
  });
}

/** The longest time, in milliseconds, without an acknowledged write. */
function longestPause({ acknowledged }: TrafficLedger, begun: number, served: number): number {
  const times = acknowledged.flatMap(({ at }) => (at >= begun && at <= served ? [at] : []));
  return Math.max(...[...times, served].map((at, n) => at - (times[n - 1] ?? begun)));
}
