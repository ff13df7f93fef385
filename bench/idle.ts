// The cost of a client that only waits.
import { atMost, type Measurement, printRow, shown } from './harness/measurement.ts';
import { startPoller, startPollers, waitingRequests } from './harness/poller.ts';
import type { BenchServer } from './harness/server.ts';
import { pause } from './harness/times.ts';

const KIB = 1024;
const LOOK = 2500;

export const idle: Measurement = {
  name: 'idle',
  async run(harness) {
    const count = harness.size(10_000, 50);
    const first = Math.ceil(count / 5);
    const crowd = await startPollers(harness, first + count);
    const server = await harness.server(crowd.organization, { quiet: true });
    const poller = await startPoller(harness);
    const { port, waiting } = server;
    // Some clients wait before the first sample: it includes one-time costs, and the rest is per client.
    await poller.add({ port, requests: await waitingRequests(crowd, server, [0, first]) }, waiting);
    const before = { memory: await settledMemory(server), cpu: await server.cpu() };
    await poller.add({ port, requests: await waitingRequests(crowd, server, [first, first + count]) }, waiting);
    const cpuToWait = (await server.cpu()) - before.cpu;
    const memory = await settledMemory(server);
    const start = await server.cpu();
    const span = harness.span(10);
    await pause(span);
    const cpu = (await server.cpu()) - start;
    const [row] = await crowd.organization.sql<{ bytes: number }[]>`
      select pg_total_relation_size('event_queues')::float8 / (select count(*) from event_queues) as bytes`;
    const process = (memory.rss - before.memory.rss) / count;
    const heap = memory.heapUsed + memory.external - before.memory.heapUsed - before.memory.external;
    return [
      atMost({
        compared: `memory of one of ${shown(count)} queues with a waiting poll, in the process and in the database`,
        value: (process + (row?.bytes ?? 0)) / KIB,
        limit: 16,
        unit: ' KiB',
        figures: {
          ...{
            'KiB, process grown by': process / KIB,
            'KiB, in use by JavaScript': heap / count / KIB,
            'KiB, row in the database': (row?.bytes ?? 0) / KIB,
          },
          'ms of CPU to begin waiting': cpuToWait / count,
        },
      }),
      printRow(
        `CPU of a server that holds ${shown(first + count)} polls in which nothing happens`,
        `${shown((100 * cpu) / span)} % of one core`,
      ),
    ];
  },
};

/** Samples until the process releases no more memory: V8 returns free memory with a delay. */
async function settledMemory(server: BenchServer): Promise<NodeJS.MemoryUsage> {
  let least = await server.memory();
  for (let unchanged = 0; unchanged < 3; ) {
    await pause(LOOK);
    const now = await server.memory();
    unchanged = now.rss < 0.99 * least.rss ? 0 : unchanged + 1;
    if (now.rss < least.rss) least = now;
  }
  return least;
}
