// Simulated users: each registers, follows their queue, and does what users do with pauses between, in a process of its
// own.
import { request } from 'node:http';
import { serveCalls } from './child.ts';
import { type BenchUser, type Connection, openConnection } from './http.ts';
import { clock, pause } from './times.ts';

export interface SimulatedUser extends BenchUser {
  readonly streams: readonly { readonly id: number; readonly name: string }[];
  /** The users to whom they send direct messages. */
  readonly contacts: readonly number[];
}

export interface UserLoadOptions {
  readonly port: number;
  readonly by: 'polls' | 'stream';
  /** The rate of their actions as a multiple of the model's. */
  readonly rate: number;
}

export interface UserLoadResult {
  /** Milliseconds of each request, by its purpose. */
  readonly times: Readonly<Record<string, readonly number[]>>;
  /** Milliseconds from sending a message until a follower has it, for each of them. */
  readonly deliveries: readonly number[];
  /** Failed requests, by the failure. */
  readonly failures: Readonly<Record<string, number>>;
  /** Milliseconds of CPU of this process. */
  readonly cpu: number;
}

/** Milliseconds between two actions of a user: 20 s on average, as in the model. */
const IDLE = { least: 1_000, most: 39_000 };
/** Milliseconds between two presence pings of a client. */
const PRESENCE = 60_000;

interface Visit {
  readonly user: SimulatedUser;
  readonly connection: Connection;
  callApi(name: string, what: string, params?: object): Promise<string>;
}

type Action = (visit: Visit) => Promise<unknown>;

const pick = <T>(some: readonly T[]): T => some[Math.floor(Math.random() * some.length)] as T;
const content = () => `Soup is ready at ${clock().toFixed(1)}.`;
const page = (terms: readonly object[], num_before: number) => ({
  narrow: JSON.stringify(terms),
  anchor: 'newest',
  num_before,
  num_after: 0,
});
const idsOf = (text: string): number[] =>
  (JSON.parse(text) as { messages: { id: number }[] }).messages.map(({ id }) => id);

/** Opens a conversation and marks the shown messages as read. */
const open =
  (termsFor: (user: SimulatedUser) => object[]): Action =>
  async ({ user, callApi }) => {
    const ids = idsOf(await callApi('open a conversation', 'GET /messages', page(termsFor(user), 30)));
    if (ids.length > 0)
      await callApi('mark as read', 'POST /messages/flags', { messages: ids, op: 'add', flag: 'read' });
  };

const inStream = ({ streams }: SimulatedUser) => [{ operator: 'stream', operand: pick(streams).id }];

async function send({ user, callApi }: Visit): Promise<void> {
  const stream = pick(user.streams);
  await callApi('type', 'POST /typing', { type: 'stream', op: 'start', stream_id: stream.id, topic: 'soup' });
  await callApi('send', 'POST /messages', { type: 'stream', to: stream.id, topic: 'soup', content: content() });
}

async function react({ user, callApi }: Visit): Promise<void> {
  const [id] = idsOf(await callApi('open a conversation', 'GET /messages', page(inStream(user), 1)));
  if (id === undefined) return;
  // Another user may have deleted it, or this user may have reacted before.
  const emoji_name = pick(['tada', 'heart', 'octopus', 'wave', 'rocket']);
  await callApi('react', `POST /messages/${id}/reactions`, { emoji_name }).catch((error: unknown) => {
    if (!String(error).includes('REACTION_ALREADY_EXISTS')) throw error;
  });
}

async function edit({ user, callApi }: Visit): Promise<void> {
  const to = pick(user.streams).id;
  const sent = await callApi('send', 'POST /messages', { type: 'stream', to, topic: 'soup', content: content() });
  const { id } = JSON.parse(sent) as { id: number };
  await callApi('edit', `PATCH /messages/${id}`, { content: `${content()} Really.` });
}

/**
 * What users do and how often, after Mattermost's `SimulController` (mattermost-load-test-ng), as far as Parley has the
 * same features.
 */
const actions: readonly (readonly [frequency: number, action: Action])[] = [
  [6.5219, open(inStream)],
  [1.9873, ({ user, callApi }) => callApi('scroll', 'GET /messages', page(inStream(user), 100))],
  [0.9843, open(({ contacts }) => [{ operator: 'dm', operand: [pick(contacts)] }])],
  [1, ({ callApi }) => callApi('look for unread', 'GET /messages', page([{ operator: 'is', operand: 'unread' }], 30))],
  [0.8, send],
  [
    0.2,
    ({ user, callApi }) =>
      callApi('send', 'POST /messages', { type: 'direct', to: [pick(user.contacts)], content: content() }),
  ],
  [1.1864, open((user) => [...inStream(user), { operator: 'topic', operand: 'soup' }])],
  [0.1306, react],
  [0.04, edit],
  [
    0.0218,
    ({ callApi }) => callApi('search', 'GET /messages', page([{ operator: 'search', operand: 'ready soup' }], 30)),
  ],
];
const total = actions.reduce((sum, [frequency]) => sum + frequency, 0);

function pickAction(): Action {
  let left = Math.random() * total;
  for (const [frequency, action] of actions) {
    left -= frequency;
    if (left <= 0) return action;
  }
  return send;
}

let [times, deliveries, failures]: [Record<string, number[]>, number[], Record<string, number>] = [{}, [], {}];
let isRunning = false;
/** Users act from their registration to the end of the measurement. */
let isActing = false;
const inProgress = new Set<Promise<void>>();
let users: { readonly visit: Visit; leave(): void }[] = [];
let options: UserLoadOptions = { port: 0, by: 'stream', rate: 1 };
let connection: Connection | undefined;
let polls: Connection | undefined;

const fail = (error: unknown) => {
  // Busy servers name a random delay, and the failure is the same.
  const what = String(error)
    .replace(/^Error: (.*?: \d{3}) \{.*"code":"(\w+)".*$/s, '$1 $2')
    .replace(/\/\d+/g, '/N')
    .slice(0, 160);
  failures[what] = (failures[what] ?? 0) + 1;
};

function createVisit(user: SimulatedUser, shared: Connection): Visit {
  return {
    user,
    connection: shared,
    async callApi(name, what, params) {
      const { ms, text } = await shared.request(user, what, params);
      times[name] ??= [];
      times[name].push(ms);
      return text;
    },
  };
}

/** Records the arrival of a message that contains its time of sending. */
function recordDeliveries(text: string): void {
  const now = clock();
  for (const [, at] of text.matchAll(/"type":"message".*?ready at ([\d.]+\d)/g)) deliveries.push(now - Number(at));
}

function followStream({ user }: Visit, { queue_id, last_event_id }: Registered): () => void {
  const headers = { Host: 'localhost', Authorization: user.login, Accept: 'text/event-stream' };
  const path = `/api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id}`;
  const sent = request({ host: '127.0.0.1', port: options.port, path, headers, agent: false }, (response) => {
    let rest = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data:')) recordDeliveries(line);
    });
    response.on('close', () => isRunning && fail('a stream ended'));
  });
  sent.on('error', (error) => isRunning && fail(error));
  sent.end();
  return () => sent.destroy();
}

function followPolls({ user }: Visit, { queue_id, last_event_id }: Registered): () => void {
  let [last, isFollowing] = [last_event_id, true];
  const follow = async () => {
    while (isFollowing && polls) {
      const { text } = await polls.request(user, 'GET /events', { queue_id, last_event_id: last });
      const { events } = JSON.parse(text) as { events: { id: number }[] };
      last = events.at(-1)?.id ?? last;
      recordDeliveries(text);
    }
  };
  follow().catch((error: unknown) => isFollowing && isRunning && fail(error));
  return () => {
    isFollowing = false;
  };
}

interface Registered {
  readonly queue_id: string;
  readonly last_event_id: number;
}

/**
 * The rest of a pause of a user who has been acting for long. A moment falls into a long pause more often than into a
 * short one, so a share of an average pause would have users begin at twice their rate.
 */
function firstPause(): number {
  const length = Math.sqrt(IDLE.least ** 2 + Math.random() * (IDLE.most ** 2 - IDLE.least ** 2));
  return length * Math.random();
}

const nextPause = () => IDLE.least + Math.random() * (IDLE.most - IDLE.least);

async function act(visit: Visit): Promise<void> {
  let seen = clock() - Math.random() * PRESENCE;
  for (let idle = firstPause(); ; idle = nextPause()) {
    await pause(idle / options.rate);
    if (!isActing) return;
    const reports = clock() - seen > PRESENCE;
    if (reports) seen = clock();
    const action = actOnce(visit, reports).catch(fail);
    inProgress.add(action);
    await action;
    inProgress.delete(action);
  }
}

async function actOnce(visit: Visit, reports: boolean): Promise<void> {
  if (reports) await visit.callApi('report presence', 'POST /users/me/presence', { status: 'active', ping_only: true });
  await pickAction()(visit);
}

serveCalls({
  configure(newOptions: UserLoadOptions) {
    options = newOptions;
    connection = openConnection(newOptions.port);
    polls = openConnection(newOptions.port, Number.POSITIVE_INFINITY);
  },
  /** These users register: this many per second. */
  async enter({ simulated, rate }: { simulated: readonly SimulatedUser[]; rate: number }) {
    const enterOne = async (user: SimulatedUser) => {
      if (!connection) throw new Error('Configure it first.');
      const visit = createVisit(user, connection);
      const registered = JSON.parse(await visit.callApi('register', 'POST /register', {})) as Registered;
      const leave = (options.by === 'stream' ? followStream : followPolls)(visit, registered);
      users.push({ visit, leave });
      void act(visit);
    };
    isRunning = isActing = true;
    const entering: Promise<unknown>[] = [];
    for (const user of simulated) {
      entering.push(enterOne(user).catch(fail));
      await pause(1000 / rate);
    }
    await Promise.all(entering);
  },
  /** The times and deliveries of so many seconds, in which the users go on acting, and all failures until then. */
  async act(seconds: number): Promise<UserLoadResult> {
    const registered = times.register ?? [];
    [times, deliveries] = [{ ...(registered.length > 0 && { register: registered }) }, []];
    const started = process.cpuUsage();
    await pause(seconds * 1000);
    isActing = false;
    await Promise.all(inProgress);
    const { user, system } = process.cpuUsage(started);
    const result = { times, deliveries, failures, cpu: (user + system) / 1000 };
    [times, deliveries, failures] = [{}, [], {}];
    return result;
  },
  leave() {
    isRunning = false;
    for (const { leave } of users) leave();
    users = [];
    connection?.close();
    polls?.close();
  },
});
