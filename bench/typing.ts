// Typing notifications arrive at once, even while a large topic is being deleted.
import { p99 } from './harness/background-load.ts';
import { createLargeTopic, deleteTopic, measureBackground } from './harness/large-topic.ts';
import { atMost, type Measurement, shown, TIMES } from './harness/measurement.ts';
import { longest } from './harness/times.ts';

const TYPISTS = 4;

export const typing: Measurement = {
  name: 'typing',
  async run(harness) {
    const fixture = await createLargeTopic(harness);
    const { server, here, users, topic, count } = fixture;
    const notice = { type: 'stream', op: 'start', stream_id: here.id, topic: 'small talk' };
    const probes = users.slice(0, TYPISTS).map((typist) => ({
      name: `typing of ${typist.id}`,
      run: () => server.request(typist, 'POST /typing', notice),
    }));
    const { idle, busy, ms } = await measureBackground(harness, fixture, probes, () =>
      deleteTopic(fixture, here, topic),
    );
    return [
      atMost({
        compared: `publishing that a user types while a topic of ${shown(count)} messages is deleted, p99, against an idle server`,
        value: p99(busy) / p99(idle),
        limit: 2,
        unit: TIMES,
        figures: {
          ...{ 'p99, ms': p99(busy), 'p99 when idle, ms': p99(idle) },
          ...{ 'longest, ms': longest(Object.values(busy).flat()), 'ms, deletion': ms },
        },
      }),
    ];
  },
};
