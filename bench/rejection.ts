// The cost of a rejected request: CPU time of the server for each request that gets no slot, in units of a response of
// plain node:http.
import { encodeForm } from '@parley/client';
import { startChild } from './harness/child.ts';
import { addUsers } from './harness/fill.ts';
import type { LoadResult } from './harness/load-process.ts';
import { atMost, type Measurement, TIMES } from './harness/measurement.ts';
import { inTurns, median } from './harness/times.ts';

const ROUNDS = 5;
const SECONDS = 1;
/** Rejections are sent when many have come. */
const AT_ONCE = 256;
const USERS = 100;

export const rejection: Measurement = {
  name: 'rejection',
  async run(harness) {
    const organization = await harness.organization();
    const users = await addUsers(organization, USERS);
    const body = encodeForm({ type: 'direct', to: '[1]', content: 'Soup is ready.' }).toString();
    const requests = users.map(({ login }) => ({ method: 'POST', path: '/api/v1/messages', login, body }));
    const load = await startChild('load-process.ts', {});
    harness.atEnd(() => load.stop());
    const bare = await startChild('bare-process.ts', { body: '', headers: {} });
    harness.atEnd(() => bare.stop());
    const early = await harness.server(organization, { closed: 'early' });
    const late = await harness.server(organization, { closed: 'late' });
    /** Microseconds of CPU time for each request. */
    const costOf = (port: number, cpu: () => Promise<number>) => async () => {
      const before = await cpu();
      const { sent } = await load.call<LoadResult>('run', { ...{ port, requests, atOnce: AT_ONCE }, seconds: SECONDS });
      return (1000 * ((await cpu()) - before)) / sent;
    };
    const ways = {
      bare: costOf(await bare.call<number>('port'), () => bare.call('cpu')),
      early: costOf(early.port, early.cpu),
      late: costOf(late.port, late.cpu),
    };
    await inTurns(1, ways);
    const costs = await inTurns(ROUNDS, ways);
    return [
      atMost({
        compared: 'CPU of a request that gets no place, against a response of node:http',
        value: median(costs.early) / median(costs.bare),
        limit: 2,
        unit: TIMES,
        figures: {
          'µs, rejected': median(costs.early),
          'µs, rejected by Express': median(costs.late),
          'µs, node:http': median(costs.bare),
        },
      }),
    ];
  },
};
