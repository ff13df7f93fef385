// Clocks of servers that are wrong, or are set while the servers run: nothing is lost, early or late.
import { type Calls, ParleyError } from '@parley/client';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createEmbeddedEnvironment,
  createMember,
  createPostgresEnvironment,
  createRealm,
  type Environment,
  endServers,
  type Login,
  PASSWORD,
  type Process,
  startServer,
  type TestEnvironment,
} from '../parley.ts';
import { createFakeClock, type FakeClock, hasFakeClock } from './fake-clock.ts';
import { acknowledgedReach, ascending, createLedger, type Ledger, startSender, storedIds } from './ledger.ts';

vi.setConfig({ testTimeout: 300_000 });
const clocks: FakeClock[] = [];
const environments: TestEnvironment[] = [];
afterAll(endServers);
afterEach(async () => {
  await endServers();
  for (const clock of clocks.splice(0)) clock.remove();
  for (const environment of environments.splice(0)) await environment.remove();
});

const isLong = process.env.PARLEY_TEST_LONG !== undefined;
const HOUR = 3600;
const ENOUGH = 40;
/** Seconds from now. */
const [SOON, LATER] = [6, HOUR / 2];
const DEADLINE = { timeout: 60_000 };
const seconds = () => Math.floor(Date.now() / 1000);

async function take(fresh: () => Promise<TestEnvironment>): Promise<Environment> {
  const environment = await fresh();
  environments.push(environment);
  return environment.variables;
}

function takeClock(offset: number): FakeClock {
  const clock = createFakeClock(offset);
  clocks.push(clock);
  return clock;
}

interface HeardMessage {
  readonly id: number;
  readonly content: string;
  /** When the sender sent it, by the server, and when the follower received it: seconds. */
  readonly timestamp: number;
  readonly at: number;
}

/** Follows a queue at one server after the other. Fails when the queue ends. */
class Follower {
  readonly heard: HeardMessage[] = [];
  readonly done: Promise<void>;
  #isRunning = true;

  constructor(apis: readonly Calls[], queue: { queue_id: string; last_event_id: number }) {
    this.done = this.#follow(apis, queue);
  }

  stop(): void {
    this.#isRunning = false;
  }

  async #follow(apis: readonly Calls[], { queue_id, last_event_id }: { queue_id: string; last_event_id: number }) {
    let last = last_event_id;
    for (let n = 0; this.#isRunning; n++) {
      const api = apis[n % apis.length] as Calls;
      const { events } = await api.getEvents({ queue_id, last_event_id: last });
      for (const event of events) {
        if (event.id <= last) throw new Error(`The client received event ${event.id} twice.`);
        last = event.id;
        if (event.type === 'message' && event.message.type === 'stream') {
          this.heard.push({ ...event.message, at: Date.now() / 1000 });
        }
      }
    }
  }
}

async function acknowledgeMore(ledger: Ledger, failure: Promise<unknown>): Promise<void> {
  await Promise.race([acknowledgedReach(ledger, ledger.acknowledged.length + ENOUGH), failure]);
}

async function schedule(api: Calls, content: string, after: number): Promise<number> {
  const { streams } = await api.getStreams();
  const to = streams.find(({ name }) => name === 'kitchen')?.stream_id ?? 0;
  const due = seconds() + after;
  await api.scheduleMessage({ type: 'stream', to, topic: 'later', content, scheduled_delivery_timestamp: due });
  return due;
}

interface ClockSetup {
  readonly servers: readonly Process[];
  readonly olga: Login;
  /** Sets the clock of the last server. */
  setClock(): void;
}

/**
 * Has users write, follow and schedule before and after the clock changes. Returns when the scheduled message was
 * received.
 */
async function useThroughout({ servers, olga, setClock }: ClockSetup) {
  const apis = servers.map((server) => apiOf(server, olga));
  const [api] = apis as [Calls];
  await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
  const idle = await api.registerQueue({ event_types: ['message'] });
  const follower = new Follower(apis, await api.registerQueue({ event_types: ['message'] }));
  const ledger = createLedger();
  const senders = [0, 1].map((n) => startSender(servers[n % servers.length] as Process, olga, `sender ${n}`, ledger));
  const failure = Promise.race([follower.done, ...senders.map(({ done }) => done)]);
  await acknowledgeMore(ledger, failure);
  const due = await schedule(api, 'soon', SOON);
  await schedule(api, 'later', LATER);
  setClock();
  await acknowledgeMore(ledger, failure);
  for (const sender of senders) sender.stop();
  await Promise.all(senders.map(({ done }) => done));
  const stored = await storedIds(api);
  expect(stored).toEqual(ascending(ledger.acknowledged));
  expect([[...ledger.codes], ledger.lost]).toEqual([[], []]);
  const soup = () => follower.heard.filter(({ content }) => content.startsWith('sender'));
  await Promise.race([vi.waitUntil(() => soup().length >= stored.length, DEADLINE), follower.done]);
  expect(soup().map(({ id }) => id)).toEqual(stored);
  return { api, idle, follower, due };
}

async function expectReady(servers: readonly Process[]): Promise<void> {
  for (const { url } of servers)
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 60_000 }).toBe(200);
}

/** A server that is ready has begun to sweep, within five seconds. */
const hasSwept = (server: Process) =>
  vi.waitUntil(() => /"job":"sweep-queues".*"job done"/.test(server.printed()), DEADLINE);

/** How many other servers there are, and by how many seconds the clock is ahead. */
const settings = [
  ['an hour ahead of the other', { others: 1, before: HOUR, after: HOUR }],
  ['set back by an hour while it runs', { others: 0, before: 0, after: -HOUR }],
  ...(isLong ? ([['set an hour ahead while it runs', { others: 0, before: 0, after: HOUR }]] as const) : []),
] as const;

describe.runIf(onPostgres && hasFakeClock)('on PostgreSQL', () => {
  test.each(settings)(
    'a server whose clock is %s uses the time of the database (needs libfaketime)',
    async (_, setting) => {
      const environment = await take(createPostgresEnvironment);
      const olga = await createRealm(environment);
      const clock = takeClock(setting.before);
      const wrong = { ...environment, ...clock.environment, PARLEY_LOG: 'debug' };
      const servers = [
        ...(await Promise.all(Array.from({ length: setting.others }, () => startServer(environment)))),
        await startServer(wrong),
      ];
      const setClock = () => clock.set(setting.after);
      const { api, idle, follower, due } = await useThroughout({ servers, olga, setClock });
      const scheduled = () => follower.heard.filter(({ content }) => !content.startsWith('sender'));
      await Promise.race([vi.waitUntil(() => scheduled().length > 0, DEADLINE), follower.done]);
      const [soon] = scheduled();
      expect(soon).toMatchObject({ content: 'soon' });
      // Within ten seconds on an idle machine, and longer on a busy one.
      expect((soon as HeardMessage).at).toBeGreaterThanOrEqual(due);
      expect((soon as HeardMessage).at).toBeLessThan(due + 30);
      for (const { timestamp, at } of follower.heard) expect(Math.abs(timestamp - at)).toBeLessThan(30);
      await hasSwept(servers.at(-1) as Process);
      const { events } = await api.getEvents({ ...idle, dont_block: true });
      expect(events.length).toBeGreaterThanOrEqual(2 * ENOUGH);
      const waiting = (await api.getScheduledMessages()).scheduled_messages;
      expect(waiting).toMatchObject([{ content: 'later', failed: false }]);
      expect(scheduled()).toHaveLength(1);
      await expectReady(servers);
      follower.stop();
      await api.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'end' });
      await follower.done;
      for (const server of servers) expect(await server.end('SIGTERM')).toBe(0);
    },
  );

  test('servers whose clocks are an hour apart count requests and wrong passwords together, and lock out for no longer (needs libfaketime)', async () => {
    const environment = {
      ...(await take(createPostgresEnvironment)),
      PARLEY_RATE_LIMITS: '{"account":"5:30","password":"600:5"}',
    };
    const olga = await createRealm(environment);
    const ada = await createMember(environment, 'ada');
    const ahead = { ...environment, ...takeClock(HOUR).environment };
    const [one, two] = await Promise.all([startServer(environment), startServer(ahead)]);
    await Promise.all([expectCommonLimit(one, two, olga), expectCommonLimit(two, one, ada)]);
    for (let n = 0; n < 5; n++) {
      expect(await logIn(n % 2 === 0 ? one : two, ada, 'wrong')).toMatchObject({ code: 'AUTHENTICATION_FAILED' });
    }
    for (const server of [one, two]) {
      const { code, wait } = await logIn(server, ada, PASSWORD);
      expect([code, wait <= 600, wait > 500]).toEqual(['RATE_LIMIT_HIT', true, true]);
    }
    for (const server of [one, two]) expect(await server.end('SIGTERM')).toBe(0);
  });
});

/** The error of a call; undefined if it succeeded. */
const outcomeOf = (call: () => Promise<unknown>): Promise<ParleyError | undefined> =>
  call().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ParleyError) return error;
      throw error;
    },
  );

/**
 * Uses up the limit at one server: the other one rejects requests as well, and both serve again when the window ends.
 */
async function expectCommonLimit(spending: Process, other: Process, login: Login): Promise<void> {
  const outcome = (server: Process) => outcomeOf(() => apiOf(server, login).getOwnUser());
  await vi.waitUntil(async () => (await outcome(spending)) !== undefined, { ...DEADLINE, interval: 1 });
  const [here, there] = await Promise.all([outcome(spending), outcome(other)]);
  expect([here?.retryAfter, there?.retryAfter]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(Math.max(here?.retryAfter ?? 0, there?.retryAfter ?? 0)).toBeLessThanOrEqual(5);
  for (const server of [spending, other]) {
    await vi.waitUntil(async () => (await outcome(server)) === undefined, { timeout: 10_000, interval: 100 });
  }
}

async function logIn(server: Process, login: Login, password: string) {
  const username = login.email;
  const outcome = await outcomeOf(() => apiOf(server, login).fetchApiKey({ username, password }));
  return { code: outcome?.code, wait: outcome?.retryAfter ?? 0 };
}

describe.runIf(hasFakeClock)('on the embedded database', () => {
  test('a server whose clock is set back by an hour loses no message and no event, and locks no user out (needs libfaketime)', async () => {
    const environment = { ...(await take(createEmbeddedEnvironment)), PARLEY_RATE_LIMITS: '{"account":"5:10000"}' };
    const olga = await createRealm(environment);
    const clock = takeClock(0);
    const server = await startServer({ ...environment, ...clock.environment });
    const setClock = () => clock.set(-HOUR);
    const { api, idle, follower } = await useThroughout({ servers: [server], olga, setClock });
    expect((await api.getEvents({ ...idle, dont_block: true })).events.length).toBeGreaterThanOrEqual(2 * ENOUGH);
    await expectReady([server]);
    follower.stop();
    await api.sendMessage({ type: 'stream', to: 'kitchen', topic: 'soup', content: 'end' });
    await follower.done;
    expect(await server.end('SIGTERM')).toBe(0);
  });
});
