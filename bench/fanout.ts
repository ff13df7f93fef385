// Delivers one message to many waiting clients, against the minimum that any server on Node can do.
import { startChild } from './harness/child.ts';
import type { Harness } from './harness/harness.ts';
import { openConnection } from './harness/http.ts';
import { type Measurement, printRow, shown, times } from './harness/measurement.ts';
import { type PollerCounts, startPoller, startPollers, waitingRequests } from './harness/poller.ts';
import { clock, inTurns, median } from './harness/times.ts';

const ROUNDS = 3;

export const fanout: Measurement = {
  name: 'fanout',
  async run(harness) {
    const count = harness.size(10_000, 50);
    const crowd = await startPollers(harness, count);
    const server = await harness.server(crowd.organization, { quiet: true });
    const poller = await startPoller(harness);
    const message = { type: 'stream', to: crowd.stream.id, topic: 'soup', content: 'Soup is ready.' };
    const cpu: number[] = [];
    let responses: PollerCounts | undefined;
    const parley = async () => {
      await poller.add({ port: server.port, requests: await waitingRequests(crowd, server) }, server.waiting);
      const [started, before] = [clock(), await server.cpu()];
      await server.request(crowd.organization.owner, 'POST /messages', message);
      responses = await poller.responses();
      cpu.push((await server.cpu()) - before);
      await poller.leave();
      if (responses.status.join() !== '200') throw new Error(`Responses to polls: ${responses.status.join()}`);
      return responses.last - started;
    };
    await parley();
    const [head = '', body = ''] = (responses?.example ?? '').split('\r\n\r\n');
    const bare = await startBare(harness, head, body);
    const requests = crowd.users.map(({ login }) => ({ path: '/events', login }));
    const alone = async () => {
      await poller.add({ port: bare.port, requests }, bare.waiting);
      const started = clock();
      await bare.line.request(crowd.organization.owner, 'POST /messages', message);
      const { last } = await poller.responses();
      await poller.leave();
      return last - started;
    };
    await alone();
    const took = await inTurns(ROUNDS, { parley, alone });
    return [
      printRow(
        `a message until the last of ${shown(count)} waiting clients has it, against a bare Node server that sends the same bytes`,
        times(median(took.parley) / median(took.alone)),
        {
          'ms, parley': median(took.parley),
          'ms, bare': median(took.alone),
          'ms of CPU of the server': median(cpu),
          'bytes to each': head.length + body.length + 4,
        },
      ),
    ];
  },
};

async function startBare(harness: Harness, head: string, body: string) {
  const lines = head
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(': ') as [string, string]);
  const own = /^(date|connection|keep-alive|content-length)$/i;
  const headers = Object.fromEntries(lines.filter(([name]) => !own.test(name)));
  const child = await startChild('bare-process.ts', { body, headers });
  harness.atEnd(() => child.stop());
  const port = await child.call<number>('port');
  const line = openConnection(port);
  harness.atEnd(() => line.close());
  return { port, line, waiting: () => child.call<number>('waiting') };
}
