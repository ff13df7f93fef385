// The time from sending a message to its arrival at a waiting client, with one server and across two.
import { addMessages, addStreams, addUsers, join, settle } from './harness/fill.ts';
import { type Measurement, ms, printRow } from './harness/measurement.ts';
import type { BenchServer } from './harness/server.ts';
import { inTurns, median, pause, percentile } from './harness/times.ts';

const ROUNDS = 300;
const WARM_UP = 20;

export const latency: Measurement = {
  name: 'latency',
  async run(harness) {
    const organization = await harness.organization();
    const [sender, reader] = await addUsers(organization, 2);
    const [stream] = await addStreams(organization, 1);
    if (!sender || !reader || !stream) throw new Error('There is no user.');
    await join(organization, [stream], [sender, reader]);
    await addMessages(organization, { stream, topic: 'soup', by: [sender], count: 100 });
    await settle(organization);
    const [near, far] = [await harness.server(organization), await harness.server(organization)];
    const registered = await near.request(reader, 'POST /register', { event_types: ['message'] });
    let { queue_id, last_event_id } = JSON.parse(registered.text) as { queue_id: string; last_event_id: number };
    const message = { type: 'stream', to: stream.id, topic: 'soup', content: 'Soup is ready.' };
    const once = async (there: BenchServer) => {
      const poll = near.request(reader, 'GET /events', { queue_id, last_event_id });
      while ((await near.waiting()) === 0) await pause(2);
      // Long enough for the poll to have caught up with the log, so that the new event ends it.
      await pause(10);
      const started = performance.now();
      const sent = there.request(sender, 'POST /messages', message);
      const { text } = await poll;
      const took = performance.now() - started;
      await sent;
      const { events } = JSON.parse(text) as { events: { id: number }[] };
      last_event_id = events.at(-1)?.id ?? last_event_id;
      return took;
    };
    const ways = { one: () => once(near), two: () => once(far) };
    await inTurns(WARM_UP, ways);
    const { one, two } = await inTurns(Math.max(50, harness.size(ROUNDS)), ways);
    const row = (how: string, times: readonly number[]) =>
      printRow(
        `from sending a message to its arrival at a waiting client, ${how}, p50 and p99`,
        `${ms(median(times))} and ${ms(percentile(times, 0.99))}`,
      );
    return [row('one server', one), row('sender and client at two servers', two)];
  },
};
