// Marking a whole stream, or everything, as read: as quick for a hundred thousand messages as for ten.
import { costOf } from './lab/costs.ts';
import { addMessages, addPeople, addStreams, join, settle } from './lab/fill.ts';
import type { Person } from './lab/http.ts';
import { atMost, type Measurement, shown, TIMES } from './lab/measurement.ts';
import { inTurns, median } from './lab/times.ts';

const FEW = 10;
const ROUNDS = 15;
const LIMIT = 1.5;

export const mark: Measurement = {
  name: 'mark',
  async run(lab) {
    const place = await lab.place();
    const [small, big] = await addStreams(place, 2);
    const both = await addPeople(place, ROUNDS + 2);
    const [onlySmall, onlyBig] = [await addPeople(place, ROUNDS + 2), await addPeople(place, ROUNDS + 2)];
    const [writer] = both;
    if (!small || !big || !writer) throw new Error('Nothing to mark.');
    await join(place, [small], [...both, ...onlySmall]);
    await join(place, [big], [...both, ...onlyBig]);
    const count = lab.size(100_000, 2 * FEW);
    await addMessages(place, { stream: small, topic: 'soup', by: [writer], count: FEW });
    await addMessages(place, { stream: big, topic: 'soup', by: [writer], count });
    await settle(place);
    const server = await lab.server(place);
    const who = (people: readonly Person[], round: number) => people[round] ?? writer;
    const stream = (person: Person, stream_id: number) =>
      server.ask(person, 'POST /mark_stream_as_read', { stream_id });
    const all = (person: Person) => server.ask(person, 'POST /mark_all_as_read');
    // The last of each are for warming up and for counting.
    await stream(who(both, ROUNDS), small.id);
    await all(who(onlySmall, ROUNDS));
    const streams = await inTurns(ROUNDS, {
      few: async (round) => (await stream(who(both, round), small.id)).ms,
      many: async (round) => (await stream(who(both, round), big.id)).ms,
    });
    const everything = await inTurns(ROUNDS, {
      few: async (round) => (await all(who(onlySmall, round))).ms,
      many: async (round) => (await all(who(onlyBig, round))).ms,
    });
    const last = ROUNDS + 1;
    const costs = {
      stream: await costOf(place, server, () => stream(who(both, last), big.id)),
      everything: await costOf(place, server, () => all(who(onlyBig, last))),
    };
    const against = `${shown(count)} messages against ${FEW}`;
    const row = (what: string, times: typeof streams, cost: typeof costs.stream) =>
      atMost({
        compared: `marking ${what} as read: ${against}`,
        value: median(times.many) / median(times.few),
        limit: LIMIT,
        unit: TIMES,
        figures: {
          ...{ 'ms, few': median(times.few), 'ms, many': median(times.many) },
          ...{ statements: cost.statements, 'rows written': cost.rows, 'WAL bytes': cost.wal },
        },
      });
    return [row('a stream', streams, costs.stream), row('everything', everything, costs.everything)];
  },
};
