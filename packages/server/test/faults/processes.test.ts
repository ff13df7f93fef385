// `parley serve --processes 2`: several processes share the port, each of them may end, and one signal ends them all.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { onPostgres } from '../database.ts';
import {
  apiOf,
  createEmbeddedEnvironment,
  createMember,
  createPostgresEnvironment,
  createRealm,
  endServers,
  type Process,
  parley,
  startCommand,
  startServer,
  type TestEnvironment,
} from '../parley.ts';

vi.setConfig({ testTimeout: 120_000 });
afterAll(endServers);

/** The child processes of a process, from /proc. */
function childrenOf({ child }: Pick<Process, 'child'>): number[] {
  const text = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

const isRunning = (pid: number): boolean => {
  try {
    // A process that has ended and was not waited for is a zombie.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

const until = (isTrue: () => boolean | Promise<boolean>) => vi.waitUntil(isTrue, { timeout: 30_000, interval: 50 });

describe.runIf(onPostgres)('several processes of a server', () => {
  let environment: TestEnvironment;
  let server: Process;
  const start = () => startServer({ ...environment.variables, PARLEY_PROCESSES: '2', PARLEY_METRICS_PORT: '0' });
  beforeEach(async () => {
    environment = await createPostgresEnvironment();
    server = await start();
  });
  afterEach(async () => {
    await server.end('SIGKILL');
    await environment.remove();
  });

  /** The counters of both processes, from the one page of metrics. */
  async function countRequests(operation: string): Promise<number> {
    const [, port] = /"metrics_port":(\d+)/.exec(server.printed()) ?? [];
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(
      new RegExp(`^parley_requests_total{operation="${operation}",status="200"} (\\d+)$`, 'm').exec(page)?.[1],
    );
  }

  test('serve one organization: what a client sends through one reaches clients of the other, and metrics are summed', async () => {
    const owner = await createRealm(environment.variables);
    const ben = await createMember(environment.variables, 'ben');
    const to = [ben.user_id];
    const following = await Promise.all(
      Array.from({ length: 6 }, () => apiOf(server, ben).registerQueue({ event_types: ['message'] })),
    );
    // Connections are assigned to the processes in turn.
    const sent = await Promise.all(
      following.map(() => apiOf(server, owner).sendMessage({ type: 'direct', to, content: 'Soup?' })),
    );
    const ids = sent.map(({ id }) => id).sort((one, other) => one - other);
    for (const { queue_id, last_event_id } of following) {
      const heard: number[] = [];
      let last = last_event_id;
      while (heard.length < ids.length) {
        const { events } = await apiOf(server, ben).getEvents({ queue_id, last_event_id: last });
        for (const event of events) if (event.type === 'message') heard.push(event.message.id);
        last = events.at(-1)?.id ?? last;
      }
      expect(heard.sort((one, other) => one - other)).toEqual(ids);
    }
    expect(await countRequests('sendMessage')).toBe(sent.length);
    expect(childrenOf(server)).toHaveLength(2);
  });

  test('emit one event about the start', async () => {
    const owner = await createRealm(environment.variables);
    const api = apiOf(server, owner);
    const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['restart'] });
    await server.end('SIGTERM');
    server = await start();
    const { events } = await apiOf(server, owner).getEvents({ queue_id, last_event_id, dont_block: true });
    expect(events.map(({ type }) => type)).toEqual(['restart']);
  });

  test('are replaced when they die, and the others serve meanwhile', async () => {
    const [first = 0, second = 0] = childrenOf(server);
    process.kill(first, 'SIGKILL');
    await until(() => !isRunning(first));
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    expect(isRunning(second)).toBe(true);
    await until(() => {
      const now = childrenOf(server);
      return now.length === 2 && !now.includes(first);
    });
  });

  test('end with the signal to the process that started them: polls get responses, the exit code is 0, none remains', async () => {
    const owner = await createRealm(environment.variables);
    const polls = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const api = apiOf(server, owner);
        const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
        return { end: api.getEvents({ queue_id, last_event_id }) };
      }),
    );
    await until(async () => (await server.waitingPolls()) === polls.length);
    const processes = childrenOf(server);
    expect(await server.end('SIGTERM')).toBe(0);
    for (const { end } of polls) expect((await end).events).toEqual([]);
    expect(processes.filter(isRunning)).toEqual([]);
  });

  test('end with 0 when the signal comes while they start', async () => {
    const starting = startCommand(['serve', '--processes', '2'], environment.variables);
    await until(() => childrenOf(starting).length > 0);
    const processes = childrenOf(starting);
    expect(await starting.end('SIGTERM')).toBe(0);
    expect(processes.filter(isRunning)).toEqual([]);
  });

  test('end when the process that started them is killed', async () => {
    const processes = childrenOf(server);
    await server.end('SIGKILL');
    await until(() => !processes.some(isRunning));
  });

  test('that cannot listen report it once, and the exit code is 1', async () => {
    const { port } = new URL(server.url);
    const { code, stderr } = await parley(['serve', '--processes', '2'], {
      ...environment.variables,
      PARLEY_PORT: port,
    });
    expect(code).toBe(1);
    expect(stderr.match(/Cannot listen/g)).toHaveLength(1);
  });
});

test.each([
  [['--processes', '2'], {}, 'Several processes need DATABASE_URL: the embedded database belongs to one process.'],
  [['--processes', '0'], {}, '--processes must be 1 to 64.'],
  [['--processes', 'two'], {}, "'two'"],
  [[], { PARLEY_PROCESSES: '65' }, 'PARLEY_PROCESSES must be a whole number, 1 to 64'],
])('parley serve %j with %j ends with 2 and an error message', async (words, more, message) => {
  const environment = await createEmbeddedEnvironment();
  const { code, stderr } = await parley(['serve', ...words], { ...environment.variables, ...more });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  await environment.remove();
});
