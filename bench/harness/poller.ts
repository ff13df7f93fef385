// Many clients that wait for one server, as seen from the benchmark.
import { startChild } from './child.ts';
import { addMessages, addQueues, addStreams, addUsers, type BenchStream, join, settle } from './fill.ts';
import type { Harness } from './harness.ts';
import type { BenchUser } from './http.ts';
import type { BenchOrganization } from './organization.ts';
import type { PollerOptions } from './poller-process.ts';
import type { BenchServer } from './server.ts';
import { pause } from './times.ts';

export interface PollerCounts {
  /** UNIX time in milliseconds. */
  readonly first: number;
  readonly last: number;
  readonly status: readonly string[];
  /** One of the responses, with its headers. */
  readonly example: string;
}

export interface Poller {
  /** Adds clients, a few at a time; `waiting` returns how many the server has. */
  add(options: PollerOptions, waiting: () => Promise<number>): Promise<void>;
  responses(): Promise<PollerCounts>;
  leave(): Promise<void>;
}

/** Connections that are opened at once: fewer than the backlog of a listening socket. */
const AT_ONCE = 200;

export async function startPoller(harness: Harness): Promise<Poller> {
  const child = await startChild('./poller-process.ts', {});
  harness.atEnd(() => child.stop());
  return {
    async add({ port, requests }, waiting) {
      const before = await waiting();
      for (let done = 0; done < requests.length; ) {
        const some = requests.slice(done, done + AT_ONCE);
        await child.call('add', { port, requests: some });
        done += some.length;
        while ((await waiting()) < before + done) {
          const early = await child.call<string | undefined>('early');
          if (early !== undefined) throw new Error(`A poll does not wait but has a response: ${early.slice(0, 600)}`);
          await pause(5);
        }
      }
    },
    responses: () => child.call('responses'),
    leave: () => child.call('leave'),
  };
}

export interface PollerGroup {
  readonly organization: BenchOrganization;
  /** All users are subscribed to it. */
  readonly stream: BenchStream;
  readonly users: readonly BenchUser[];
  /** A queue of each user, in the same order. */
  readonly queues: readonly string[];
}

/** Users in one stream with a queue each. */
export async function startPollers(harness: Harness, count: number): Promise<PollerGroup> {
  const organization = await harness.organization();
  const users = await addUsers(organization, count);
  const [stream] = await addStreams(organization, 1);
  if (!stream) throw new Error('There is no stream.');
  await join(organization, [stream], [organization.owner, ...users]);
  await addMessages(organization, { stream, topic: 'soup', by: users.slice(0, 1), count: 10 });
  const queues = await addQueues(organization, users);
  await settle(organization);
  return { organization, stream, users, queues };
}

/** The polls of the users, from the `from`th on, for events from now on. */
export async function waitingRequests(
  { organization, users, queues }: PollerGroup,
  server: BenchServer,
  [from, to] = [0, users.length],
): Promise<PollerOptions['requests']> {
  const nothing = { event_types: ['heartbeat'], fetch_event_types: [] };
  const { text } = await server.request(organization.owner, 'POST /register', nothing);
  const { last_event_id } = JSON.parse(text) as { last_event_id: number };
  return users.slice(from, to).map(({ login }, n) => ({
    path: `/api/v1/events?queue_id=${queues[from + n]}&last_event_id=${last_event_id}`,
    login,
  }));
}
