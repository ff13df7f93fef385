// The server's cost of a message for each client that reads its queue, by polls and by streams.
import { startChild } from './harness/child.ts';
import type { FollowRequests } from './harness/follower-process.ts';
import type { Harness } from './harness/harness.ts';
import { atMost, type Measurement, printRow, shown } from './harness/measurement.ts';
import { type PollerGroup, startPollers } from './harness/poller.ts';
import type { BenchServer } from './harness/server.ts';
import { pause } from './harness/times.ts';

const MESSAGES = 20;

export const follow: Measurement = {
  name: 'follow',
  async run(harness) {
    const count = harness.size(1000, 20);
    const costs: Record<string, FollowCost> = {};
    for (const by of ['polls', 'stream'] as const) {
      const crowd = await startPollers(harness, count);
      const server = await harness.server(crowd.organization, { quiet: true });
      costs[by] = await costOfFollowing(harness, crowd, server, by);
    }
    const { polls, stream } = costs as { polls: FollowCost; stream: FollowCost };
    return [
      atMost({
        compared: `statements for each event delivered to ${shown(count)} clients that follow by streams`,
        value: stream.statements,
        limit: 0.05,
        unit: '',
        figures: { 'by polls': polls.statements },
      }),
      printRow(
        `CPU of the server for each event delivered to ${shown(count)} clients that follow by streams, and by polls`,
        `${shown(stream.cpu)} and ${shown(polls.cpu)} µs`,
      ),
    ];
  },
};

interface FollowCost {
  readonly statements: number;
  /** Microseconds. */
  readonly cpu: number;
}

async function costOfFollowing(
  harness: Harness,
  crowd: PollerGroup,
  server: BenchServer,
  by: FollowRequests['by'],
): Promise<FollowCost> {
  const { organization, users, queues, stream } = crowd;
  const child = await startChild('follower-process.ts', {});
  harness.atEnd(() => child.stop());
  const { text } = await server.request(organization.owner, 'POST /register', {
    event_types: ['heartbeat'],
    fetch_event_types: [],
  });
  const { last_event_id } = JSON.parse(text) as { last_event_id: number };
  const all = users.map(({ login }, n) => ({ queue_id: queues[n] ?? '', login }));
  for (let done = 0; done < all.length; done += 200) {
    await child.call('add', { port: server.port, by, last_event_id, queues: all.slice(done, done + 200) });
    await waitForAll(server, Math.min(done + 200, all.length));
  }
  const message = { type: 'stream', to: stream.id, topic: 'soup', content: 'Soup is ready.' };
  const send = async (count: number) => {
    await server.request(organization.owner, 'POST /messages', message);
    await child.call('waitForEvents', count);
    await waitForAll(server, all.length);
  };
  await send(1);
  const before = { statements: await server.statements(), cpu: await server.cpu() };
  for (let n = 0; n < MESSAGES; n++) await send(n + 2);
  const delivered = MESSAGES * all.length;
  const cost = {
    statements: ((await server.statements()) - before.statements) / delivered,
    cpu: (1000 * ((await server.cpu()) - before.cpu)) / delivered,
  };
  await child.call('leave');
  return cost;
}

async function waitForAll(server: BenchServer, count: number): Promise<void> {
  while ((await server.waiting()) < count) await pause(5);
}
