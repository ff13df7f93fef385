// A small read, against the same server without an operation: the part of the round trip that the operation takes.
import { addMessages, addStreams, addUsers, join, settle } from './harness/fill.ts';
import { atLeast, type Measurement } from './harness/measurement.ts';
import { perSecond } from './harness/throughput.ts';
import { inTurns, median } from './harness/times.ts';

const ROUNDS = 7;
const REQUESTS = 2000;
const WHAT = 'GET /users/me';

export const overhead: Measurement = {
  name: 'overhead',
  async run(harness) {
    const organization = await harness.organization();
    const [reader] = await addUsers(organization, 1);
    const streams = await addStreams(organization, 20);
    if (!reader) throw new Error('There is no reader.');
    await join(organization, streams, [reader]);
    for (const stream of streams) await addMessages(organization, { stream, topic: 'soup', by: [reader], count: 50 });
    await settle(organization);
    const server = await harness.server(organization);
    const {
      result: _,
      msg: __,
      ...payload
    } = JSON.parse((await server.request(reader, WHAT)).text) as Record<string, unknown>;
    const empty = await harness.server(organization, { constants: { getOwnUser: payload } });
    const requests = harness.size(REQUESTS, 200);
    const ways = {
      whole: () => perSecond(server, reader, WHAT, requests),
      empty: () => perSecond(empty, reader, WHAT, requests),
    };
    await inTurns(1, ways);
    const rates = await inTurns(ROUNDS, ways);
    return [
      atLeast({
        compared: `requests a second of ${WHAT} against the same with a handler that only responds`,
        value: (100 * median(rates.whole)) / median(rates.empty),
        limit: 85,
        unit: ' %',
        figures: { 'a second': median(rates.whole), 'a second, empty': median(rates.empty) },
      }),
    ];
  },
};
