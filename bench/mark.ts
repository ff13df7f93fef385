// Marks a stream, a topic, or everything as read: as fast for a hundred thousand messages as for ten.
import { costOf } from './harness/costs.ts';
import { addMessages, addStreams, addUsers, join, settle } from './harness/fill.ts';
import type { BenchUser } from './harness/http.ts';
import { atMost, type Measurement, printRow, shown, TIMES, times } from './harness/measurement.ts';
import { inTurns, median } from './harness/times.ts';

const FEW = 10;
const ROUNDS = 15;
const LIMIT = 1.5;

export const mark: Measurement = {
  name: 'mark',
  async run(harness) {
    const organization = await harness.organization();
    const [small, big] = await addStreams(organization, 2);
    const both = await addUsers(organization, ROUNDS + 2);
    const topical = await addUsers(organization, ROUNDS + 2);
    const [onlySmall, onlyBig] = [await addUsers(organization, ROUNDS + 2), await addUsers(organization, ROUNDS + 2)];
    const [writer] = both;
    if (!small || !big || !writer) throw new Error('Nothing to mark.');
    await join(organization, [small], [...both, ...topical, ...onlySmall]);
    await join(organization, [big], [...both, ...topical, ...onlyBig]);
    const count = harness.size(100_000, 2 * FEW);
    await addMessages(organization, { stream: small, topic: 'soup', by: [writer], count: FEW });
    await addMessages(organization, { stream: big, topic: 'soup', by: [writer], count });
    await settle(organization);
    const server = await harness.server(organization);
    const who = (users: readonly BenchUser[], round: number) => users[round] ?? writer;
    const stream = (user: BenchUser, stream_id: number) =>
      server.request(user, 'POST /mark_stream_as_read', { stream_id });
    const topic = (user: BenchUser, stream_id: number) =>
      server.request(user, 'POST /mark_topic_as_read', { stream_id, topic_name: 'soup' });
    const all = (user: BenchUser) => server.request(user, 'POST /mark_all_as_read');
    // Only messages from now on are unread for these users.
    const readers = await addUsers(organization, ROUNDS + 2);
    await join(organization, [small, big], readers);
    for (const reader of readers) await stream(reader, big.id);
    for (const reader of readers) await stream(reader, small.id);
    for (const one of [small, big])
      await addMessages(organization, { stream: one, topic: 'soup', by: [writer], count: FEW });
    // The last of each are for warming up and for counting.
    await stream(who(both, ROUNDS), small.id);
    await topic(who(topical, ROUNDS), small.id);
    await all(who(onlySmall, ROUNDS));
    const streams = await inTurns(ROUNDS, {
      few: async (round) => (await stream(who(both, round), small.id)).ms,
      many: async (round) => (await stream(who(both, round), big.id)).ms,
    });
    const topics = await inTurns(ROUNDS, {
      few: async (round) => (await topic(who(topical, round), small.id)).ms,
      many: async (round) => (await topic(who(topical, round), big.id)).ms,
    });
    const large = await inTurns(ROUNDS, {
      few: async (round) => (await topic(who(readers, round), small.id)).ms,
      many: async (round) => (await topic(who(readers, round), big.id)).ms,
    });
    const everything = await inTurns(ROUNDS, {
      few: async (round) => (await all(who(onlySmall, round))).ms,
      many: async (round) => (await all(who(onlyBig, round))).ms,
    });
    const last = ROUNDS + 1;
    const costs = {
      stream: await costOf(organization, server, () => stream(who(both, last), big.id)),
      large: await costOf(organization, server, () => topic(who(readers, last), big.id)),
      topic: await costOf(organization, server, () => topic(who(topical, last), big.id)),
      everything: await costOf(organization, server, () => all(who(onlyBig, last))),
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
    return [
      row('a stream', streams, costs.stream),
      row(`${FEW} unread messages of a topic`, large, costs.large),
      // The numbers of a topic are interleaved with others, so marking all of it visits all of it.
      printRow(`marking all of a topic as read: ${against}`, times(median(topics.many) / median(topics.few)), {
        ...{ 'ms, few': median(topics.few), 'ms, many': median(topics.many) },
        ...{ statements: costs.topic.statements, 'rows written': costs.topic.rows, 'WAL bytes': costs.topic.wal },
      }),
      row('everything', everything, costs.everything),
    ];
  },
};
