// A topic is a row: renaming or resolving it is as fast for a hundred thousand messages as for ten.
import { costOf } from './harness/costs.ts';
import { addMessages, addStreams, addUsers, join, settle } from './harness/fill.ts';
import { atMost, equal, type Measurement, shown, TIMES } from './harness/measurement.ts';
import { inTurns, median } from './harness/times.ts';

const FEW = 10;
const ROUNDS = 40;
const WARM_UP = 6;

export const rename: Measurement = {
  name: 'rename',
  async run(harness) {
    const organization = await harness.organization();
    // As many users have written in the small one as in the large one: resolving a topic notifies its participants.
    const users = await addUsers(organization, FEW);
    const [stream] = await addStreams(organization, 1);
    if (!stream) throw new Error('Nothing to rename.');
    await join(organization, [stream], [organization.owner, ...users]);
    const count = harness.size(100_000, 2 * FEW);
    const [few = 0] = await addMessages(organization, { stream, topic: 'little', by: users, count: FEW });
    const [many = 0] = await addMessages(organization, { stream, topic: 'much', by: users, count });
    await settle(organization);
    const server = await harness.server(organization);
    const change = (message_id: number, topic: string) =>
      server.request(organization.owner, `PATCH /messages/${message_id}`, {
        ...{ topic, propagate_mode: 'change_all' },
        ...{ send_notification_to_old_thread: false, send_notification_to_new_thread: false },
      });
    let names = 0;
    const renamed = async (id: number) => (await change(id, `name ${++names}`)).ms;
    /** Resolves and unresolves, so that it can be repeated. */
    const resolved = async (id: number) => {
      const { ms } = await change(id, `✔ about ${id}`);
      return ms + (await change(id, `about ${id}`)).ms;
    };
    const against = `${shown(count)} messages against ${FEW}`;
    const rows = [];
    for (const [what, work] of [
      ['renaming a topic', renamed],
      ['resolving a topic and taking it back', resolved],
    ] as const) {
      await inTurns(WARM_UP, { few: () => work(few), many: () => work(many) });
      const times = await inTurns(ROUNDS, { few: () => work(few), many: () => work(many) });
      const [cheap, dear] = [
        await costOf(organization, server, () => work(few)),
        await costOf(organization, server, () => work(many)),
      ];
      rows.push(
        atMost({
          compared: `${what}: ${against}`,
          value: median(times.many) / median(times.few),
          limit: 1.5,
          unit: TIMES,
          figures: {
            ...{ 'ms, few': median(times.few), 'ms, many': median(times.many) },
            ...{ 'statements, few': cheap.statements, 'statements, many': dear.statements },
            ...{ 'WAL bytes, few': cheap.wal, 'WAL bytes, many': dear.wal },
          },
        }),
        equal(`rows written by ${what}: ${against}`, [dear.rows, cheap.rows], dear.tables),
      );
    }
    return rows;
  },
};
