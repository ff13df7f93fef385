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
    const place = await harness.organization();
    const [reader] = await addUsers(place, 1);
    const streams = await addStreams(place, 20);
    if (!reader) throw new Error('There is no reader.');
    await join(place, streams, [reader]);
    for (const stream of streams) await addMessages(place, { stream, topic: 'soup', by: [reader], count: 50 });
    await settle(place);
    const server = await harness.server(place);
    const {
      result: _,
      msg: __,
      ...payload
    } = JSON.parse((await server.ask(reader, WHAT)).text) as Record<string, unknown>;
    const empty = await harness.server(place, { constants: { getOwnUser: payload } });
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
