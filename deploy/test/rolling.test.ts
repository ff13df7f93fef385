// An update without an outage: one process after the other is restarted behind the proxy while clients write, read and poll.
import { afterEach, describe, expect, test } from 'vitest';
import { ascending, createLedger, startSenderThrough, storedIds } from '../../packages/server/test/faults/ledger.ts';
import { endServers } from '../../packages/server/test/parley.ts';
import { type Deployment, deploy } from './deployment.ts';
import { startCaddy, startNginx } from './proxy.ts';
import { type Part, whyNotRun } from './requirements.ts';

const SENDERS = 16;
const READERS = 4;
/** So few that the server handles all of these requests of one account at once. */
const PARLEY_DATABASE_CONNECTIONS = '50';
/** The number of send requests of a process before the other one restarts: they show that the proxy uses the process again. */
const ENOUGH = 20;
const ROUNDS = process.env.PARLEY_TEST_LONG === undefined ? 1 : 6;
const USED = { timeout: 30_000, interval: 100 };
const TIMEOUT = 120_000 + ROUNDS * 60_000;

/** The value in the files for operators. */
const PARLEY_DRAIN = '5';

const samples = [
  { part: 'nginx', start: startNginx },
  { part: 'Caddy', start: startCaddy },
] as const satisfies { part: Part; start: unknown }[];

for (const { part, start } of samples) {
  describe.skipIf(whyNotRun(part))(`a rolling restart behind ${part}`, () => {
    let deployment: Deployment | undefined;
    afterEach(async () => {
      await deployment?.end();
      await endServers();
    });

    test('fails no request, and loses and repeats no message', { timeout: TIMEOUT }, async () => {
      deployment = await deploy(start, { PARLEY_DRAIN, PARLEY_DATABASE_CONNECTIONS });
      const { api } = deployment;
      await api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
      const ledger = createLedger();
      const follower = await startFollower(deployment);
      const senders = Array.from({ length: SENDERS }, (_, n) => startSenderThrough(api, `sender ${n}`, ledger));
      const readers = Array.from({ length: READERS }, () => startReader(deployment as Deployment));
      const loads = [...senders, ...readers, follower];
      const failed = Promise.race(loads.map(({ done }) => done)).catch((error: unknown) => {
        throw new Error(`A request failed. The proxy wrote: ${deployment?.proxy.errors()}`, { cause: error });
      });
      for (let restart = 0; restart < 2 * ROUNDS; restart++) {
        await Promise.race([eachIsUsed(deployment), failed]);
        await Promise.race([restartProcess(deployment, restart % 2 === 0 ? 0 : 1), failed]);
      }
      await Promise.race([eachIsUsed(deployment), failed]);
      for (const load of [...senders, ...readers]) load.stop();
      await Promise.all([...senders, ...readers].map(({ done }) => done));
      const sent = ascending(ledger.acknowledged);
      await follower.hears(sent.length);
      expect([[...ledger.codes], ledger.lost], deployment.proxy.errors()).toEqual([[], []]);
      expect(await storedIds(api)).toEqual(sent);
      expect(follower.heard).toEqual(sent);
    });
  });
}

/** Waits, as the guide says, until the proxy has seen that the restarted process is ready. */
const eachIsUsed = ({ processes }: Deployment) =>
  Promise.all(processes.map((server) => expect.poll(() => server.sendRequests(), USED).toBeGreaterThanOrEqual(ENOUGH)));

async function restartProcess(deployment: Deployment, index: 0 | 1): Promise<void> {
  expect(await deployment.processes[index].end('SIGTERM')).toBe(0);
  await deployment.restart(index);
}

/** Sends reads until it is stopped; fails with the first request that fails. */
function startReader({ api }: Deployment) {
  let running = true;
  const work = async () => {
    while (running) await api.getOwnUser();
  };
  return {
    done: work(),
    stop() {
      running = false;
    },
  };
}

/** Polls for messages; fails with the first poll that fails. */
async function startFollower({ api }: Deployment) {
  const heard: number[] = [];
  const { queue_id, last_event_id } = await api.registerQueue({ event_types: ['message'] });
  let [last, expectedCount] = [last_event_id, Number.POSITIVE_INFINITY];
  const work = async () => {
    while (heard.length < expectedCount) {
      const { events } = await api.getEvents({ queue_id, last_event_id: last });
      for (const event of events) {
        last = event.id;
        if (event.type === 'message') heard.push(event.message.id);
      }
    }
  };
  const done = work();
  return {
    done,
    heard,
    /** Ends the polls after this number of messages. */
    async hears(count: number) {
      expectedCount = count;
      if (heard.length < count) await done;
      else await api.deleteQueue({ queue_id });
    },
  };
}
