// Marks messages as read one by one: the rows written depend on the conversations, not the messages.

import { createRandom } from '../packages/server/src/cli/populate/random.ts';
import { type Probe, p99, runDuring, runIdle } from './harness/background-load.ts';
import { costOf } from './harness/costs.ts';
import { addMessages, addStreams, addUsers, join, settle } from './harness/fill.ts';
import type { Harness } from './harness/harness.ts';
import type { BenchUser } from './harness/http.ts';
import {
  atMost,
  counted,
  type Measurement,
  type MeasurementRow,
  ms,
  printRow,
  shown,
  TIMES,
} from './harness/measurement.ts';
import type { BenchOrganization } from './harness/organization.ts';
import type { BenchServer } from './harness/server.ts';
import { inTurns, longest, median, timed } from './harness/times.ts';

const STREAMS = 10;
const ROUNDS = 5;

export const flags: Measurement = {
  name: 'flags',
  async run(harness) {
    const organization = await harness.organization();
    const [probeUser, warm, counted, ...timedUsers] = await addUsers(organization, 2 + 1 + ROUNDS);
    if (!probeUser || !warm || !counted) throw new Error('There is no user.');
    const ids = await fill(harness, organization, [probeUser, warm, counted, ...timedUsers]);
    const server = await harness.server(organization);
    const mark = (who: BenchUser, messages: readonly number[]) =>
      server.request(who, 'POST /messages/flags', { messages, op: 'add', flag: 'read' });
    await mark(warm, ids.slice(0, 1000));
    const rows: MeasurementRow[] = [];
    for (const full of [1, 100, 10_000, 100_000]) {
      const some = ids.slice(0, harness.size(full));
      rows.push(await countRows(organization, server, some, () => mark(counted, some)));
      await unmark(organization, counted);
    }
    return [...rows, ...(await time({ harness, organization, server, ids, probeUser, users: timedUsers, mark }))];
  },
};

async function fill(harness: Harness, organization: BenchOrganization, users: readonly BenchUser[]): Promise<number[]> {
  const streams = await addStreams(organization, STREAMS);
  await join(organization, streams, users);
  const ids: number[] = [];
  for (const stream of streams) {
    ids.push(
      ...(await addMessages(organization, {
        stream,
        topic: 'soup',
        by: users.slice(0, 2),
        count: harness.size(10_000),
      })),
    );
  }
  // The minimum size of one row for each user and message.
  await organization.sql.unsafe(
    'create table plain (user_id bigint, message_id bigint, flags bigint not null, primary key (user_id, message_id))',
  );
  await organization.sql`
    insert into plain select u, m, 0 from unnest(${users.map(({ id }) => id)}::bigint[]) u, unnest(${ids}::bigint[]) m`;
  await settle(organization);
  return createRandom(1).shuffled(ids);
}

async function countRows(
  organization: BenchOrganization,
  server: BenchServer,
  ids: readonly number[],
  work: () => Promise<unknown>,
): Promise<MeasurementRow> {
  const [{ stream_count } = { stream_count: 0 }] = await organization.sql<{ stream_count: number }[]>`
    select count(distinct conversation_id)::int as stream_count from messages where id = any(${[...ids]}::bigint[])`;
  const cost = await costOf(organization, server, work);
  const { events = 0, realm_clock = 0 } = cost.tables;
  return atMost({
    compared: `rows written to mark ${counted(ids.length, 'message')} of ${counted(stream_count, 'stream')} as read, besides the event's two`,
    value: cost.rows - events - realm_clock,
    limit: ids.length / 4096 + stream_count,
    unit: '',
    figures: { ...cost.tables, statements: cost.statements, 'WAL bytes': cost.wal },
  });
}

const unmark = ({ sql, realm_id }: BenchOrganization, { id }: BenchUser) =>
  sql`delete from read_marks where realm_id = ${realm_id} and user_id = ${id}`;

interface Timing {
  readonly harness: Harness;
  readonly organization: BenchOrganization;
  readonly server: BenchServer;
  readonly ids: readonly number[];
  readonly probeUser: BenchUser;
  readonly users: readonly BenchUser[];
  mark(who: BenchUser, ids: readonly number[]): Promise<{ ms: number }>;
}

async function time({ harness, organization, server, ids, probeUser, users, mark }: Timing): Promise<MeasurementRow[]> {
  const literal = `{${ids.join(',')}}`;
  const plain = (who: BenchUser) =>
    organization.sql.unsafe(
      'update plain set flags = flags | 1 where user_id = $1 and message_id = any($2::bigint[])',
      [who.id, literal],
    );
  const userOf = (round: number) => users[round] ?? probeUser;
  const times = await inTurns(users.length, {
    parley: async (round) => (await mark(userOf(round), ids)).ms,
    plain: (round) => timed(() => plain(userOf(round))),
  });
  const probes: Probe[] = [
    {
      name: 'read',
      run: () => server.request(probeUser, 'GET /messages', { anchor: 'newest', num_before: 50, num_after: 0 }),
    },
    {
      name: 'write',
      run: () => server.request(probeUser, 'POST /messages', { type: 'direct', to: [probeUser.id], content: 'Soup.' }),
    },
  ];
  const idle = await runIdle(probes, harness.span(15));
  for (const who of users) await unmark(organization, who);
  const busy = await runDuring(probes, async () => {
    for (const who of users) await mark(who, ids);
  });
  const size = shown(ids.length);
  return [
    atMost({
      compared: `marking ${size} messages as read in one request against one plain update of ${size} rows`,
      value: median(times.parley) / median(times.plain),
      limit: 1.3,
      unit: TIMES,
      figures: { 'ms, request': median(times.parley), 'ms, plain update': median(times.plain) },
    }),
    printRow(
      `what another user waits meanwhile, p99, against an idle server`,
      `${ms(p99(busy))} against ${ms(p99(idle))}`,
      {
        'longest, ms': longest(Object.values(busy).flat()),
        'longest when idle, ms': longest(Object.values(idle).flat()),
      },
    ),
  ];
}
