// The disk of the database is full, or read-only: no acknowledged message is lost, and service returns with the space.
import { type Calls, ParleyError } from '@parley/client';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import { apiOf, createRealm, type Environment, endServers, type Process, parley, startServer } from '../parley.ts';
import { startCluster } from './cluster.ts';
import { storedIds } from './ledger.ts';
import { canMount, MIB, mountSmallDisk, type SmallDisk } from './small-disk.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

/** Bytes that are left when writes begin to fail. */
const LEFT = MIB / 2;
/** Writes that fail before the space is freed. */
const FAILURES = 10;
/** Characters of each message: the space is soon used. */
const LENGTH = 9_000;

interface WriteOutcome {
  readonly status: number;
  readonly code?: string;
}

let disk: SmallDisk;
beforeEach(() => {
  if (canMount) disk = mountSmallDisk(400);
});
afterEach(async () => {
  await endServers();
  if (canMount) disk.remove();
});
const stops: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

const send = (api: Calls, n: number) => {
  const message = {
    type: 'stream',
    to: 'kitchen',
    topic: 'soup',
    content: `${n} ${'soup '.repeat(LENGTH / 5)}`,
  } as const;
  return api.sendMessage(message, { idempotencyKey: `write-${n}` });
};

const outcomeOf = (call: Promise<unknown>): Promise<WriteOutcome> =>
  call.then(
    () => ({ status: 200 }),
    (error: unknown) => {
      if (!(error instanceof ParleyError)) throw error;
      return { status: error.status, code: error.code };
    },
  );

/** Writes until so many writes have failed; returns the acknowledged ids, and how the others failed. */
async function writeUntilFull(api: Calls): Promise<{ acknowledged: number[]; failures: WriteOutcome[]; next: number }> {
  const acknowledged: number[] = [];
  const failures: WriteOutcome[] = [];
  let n = 0;
  while (failures.length < FAILURES) {
    const outcome = await outcomeOf(send(api, n).then(({ id }) => acknowledged.push(id)));
    if (outcome.status === 200) n++;
    else failures.push(outcome);
  }
  return { acknowledged, failures, next: n };
}

const readiness = async ({ url }: Process) => (await fetch(`${url}/readyz`)).status;

async function startKitchen(environment: Environment) {
  const olga = await createRealm(environment);
  const server = await startServer(environment);
  const api = apiOf(server, olga);
  await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
  await send(api, -1);
  return { server, api, first: await storedIds(api) };
}

/** Fills the disk, then frees the space: writes fail as documented, and all acknowledged messages are stored. */
async function fillAndRecover(environment: Environment, recover: () => Promise<void>): Promise<Process> {
  const { server, api, first } = await startKitchen(environment);
  disk.fill(LEFT);
  const full = await writeUntilFull(api);
  const { acknowledged, failures } = full;
  let { next } = full;
  const unavailable = { status: 503, code: 'SERVICE_UNAVAILABLE' };
  expect(failures).toEqual(failures.map(() => unavailable));
  await vi.waitUntil(
    async () => {
      if ((await outcomeOf(send(api, next).then(({ id }) => acknowledged.push(id)))).status === 200) next++;
      return (await readiness(server)) === 503;
    },
    { timeout: 60_000, interval: 50 },
  );
  disk.empty();
  await recover();
  const begun = performance.now();
  let last: number | undefined;
  await vi.waitUntil(
    async () => {
      const outcome = await outcomeOf(send(api, next).then(({ id }) => (last = id)));
      return outcome.status === 200;
    },
    { timeout: 60_000, interval: 50 },
  );
  console.log(`Writes are served again after ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
  expect(await storedIds(api)).toEqual([...first, ...acknowledged, last]);
  // The server checks at most once in ten seconds.
  await vi.waitUntil(async () => (await readiness(server)) === 200, { timeout: 60_000 });
  return server;
}

describe.runIf(canMount)('on a disk that is full', () => {
  test.runIf(onPostgres)(
    'of PostgreSQL, writes get 503 until there is space (needs root, to mount a disk)',
    async () => {
      const cluster = await startCluster(
        { synchronous_commit: 'on', shared_buffers: '32MB', max_wal_size: '64MB' },
        disk.path,
      );
      stops.push(() => cluster.stop().catch(() => {}));
      const environment = {
        DATABASE_URL: cluster.url,
        PARLEY_SECRET: 'a secret of at least thirty-two characters',
      };
      // A PostgreSQL without space for its log ends. Its operator starts it again.
      const server = await fillAndRecover(environment, () => cluster.restart('immediate'));
      expect(await server.end('SIGTERM')).toBe(0);
      await cluster.stop();
    },
  );

  test('of the embedded database, writes get 503 until there is space (needs root, to mount a disk)', async () => {
    const environment = { PARLEY_DATA_DIR: `${disk.path}/data` };
    const server = await fillAndRecover(environment, async () => {});
    expect(await server.end('SIGTERM')).toBe(0);
  });
});

describe.runIf(canMount)('on a disk that is read-only', () => {
  test('a server says so and does not start, and loses nothing (needs root, to mount a disk)', async () => {
    const environment = { PARLEY_DATA_DIR: `${disk.path}/data` };
    const { server, first } = await startKitchen(environment);
    expect(await server.end('SIGTERM')).toBe(0);
    disk.makeReadOnly(true);
    const { code, stderr } = await parley(['serve'], environment);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/read-only|EROFS/i)]);
    expect(stderr).not.toMatch(/\n\s+at /);
    disk.makeReadOnly(false);
    const again = await startServer(environment);
    expect(first).toHaveLength(1);
    await expect.poll(() => readiness(again), { timeout: 60_000 }).toBe(200);
    expect(await again.end('SIGTERM')).toBe(0);
  });
});
