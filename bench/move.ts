// Merging, moving and deleting a large topic can take long, but must not delay other requests.

import { addMessages } from './harness/fill.ts';
import {
  createLargeTopic,
  createProbes,
  deleteTopic,
  type LargeTopicFixture,
  measureBackground,
  toWaitRows,
} from './harness/large-topic.ts';
import { type Measurement, ms, printRow, shown } from './harness/measurement.ts';
import { timed } from './harness/times.ts';

/** The topics into which the large one is merged, one after another. */
const SEQUELS = ['sequel', 'second sequel', 'third sequel'] as const;

export const move: Measurement = {
  name: 'move',
  async run(harness) {
    const fixture = await createLargeTopic(harness);
    const { organization, server, here, elsewhere, count, first, users } = fixture;
    const probes = createProbes(fixture);
    let target = 0;
    for (const topic of SEQUELS)
      [target = 0] = await addMessages(organization, { stream: here, topic, by: users, count: 10 });
    await fillPlain(fixture);
    const quietly = { send_notification_to_old_thread: false, send_notification_to_new_thread: false };
    const change = (to: object) =>
      server.request(organization.owner, `PATCH /messages/${first}`, {
        ...to,
        propagate_mode: 'change_all',
        ...quietly,
      });
    const during = (...works: readonly (() => Promise<unknown>)[]) =>
      measureBackground(harness, fixture, probes, ...works);
    const merged = await during(...SEQUELS.map((topic) => () => change({ topic })));
    const moves = [elsewhere, here, elsewhere].map(({ id: stream_id }) => ({ stream_id }));
    const moved = await during(...moves.map((to) => () => change(to)));
    await requireMoved(fixture, target);
    const deleted = await during(() => deleteTopic(fixture, elsewhere, SEQUELS[2]));
    const plain = await timed(() => organization.sql`delete from plain where topic = 'long story'`);
    const size = `${shown(count)} messages`;
    return [
      printRow(`merging a topic of ${size} into another`, ms(merged.ms)),
      ...toWaitRows('the merge', merged),
      printRow(`moving a topic of ${size} to another stream`, ms(moved.ms)),
      ...toWaitRows('the move', moved),
      printRow(
        `deleting a topic of ${size} against one plain delete of as many rows`,
        `${ms(deleted.ms)} against ${ms(plain)}`,
      ),
      ...toWaitRows('the deletion', deleted),
    ];
  },
};

/** The minimum size of a table of messages with topics. */
async function fillPlain({ organization, count }: LargeTopicFixture): Promise<void> {
  await organization.sql.unsafe(
    'create table plain (id bigint primary key, topic text not null, content text not null)',
  );
  await organization.sql.unsafe('create index on plain (topic)');
  await organization.sql`
    insert into plain select n, 'long story', 'Item ' || n || ' needs another look before Monday.' from generate_series(1, ${count}::int) n`;
  await organization.sql.unsafe('vacuum analyze plain');
}

/** All messages moved, including those of the topic that it was merged into. */
async function requireMoved({ organization, elsewhere, count }: LargeTopicFixture, target: number): Promise<void> {
  const [row] = await organization.sql<{ messages: number }[]>`
    select count(*)::int as messages from messages where conversation_id = ${elsewhere.id}
      and topic_id = (select topic_id from messages where id = ${target})`;
  if ((row?.messages ?? 0) < count + 10) throw new Error(`Only ${row?.messages} messages arrived in the other stream.`);
}
