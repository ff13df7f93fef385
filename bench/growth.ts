// An hour of everyday load: what is rewritten and swept does not grow, in the database and in memory.
import { type Probe, runDuring } from './harness/background-load.ts';
import { addMessages, addStreams, addUsers, join, settle } from './harness/fill.ts';
import { BenchErrorResponse, type BenchUser, type Connection, openConnection } from './harness/http.ts';
import { atMost, type Measurement, type MeasurementRow, printRow, shown, TIMES, times } from './harness/measurement.ts';
import { startOperatorServer } from './harness/operator-server.ts';
import type { BenchOrganization } from './harness/organization.ts';
import { SECRET } from './harness/postgres.ts';
import { median, pause } from './harness/times.ts';

const SECONDS = 3600;
/** How often sizes and memory are read. */
const SAMPLES = 60;
const USERS = 50;
const FOLLOWERS = 10;
const LIMIT = 1.2;
const MIB = 1024 * 1024;
/** Bytes from which a table is judged: one page more is a large part of a small table. */
const SMALL = MIB;

export const growth: Measurement = {
  name: 'growth',
  onlyByName: true,
  async run(harness) {
    const organization = await harness.organization();
    const users = await addUsers(organization, USERS);
    const streams = await addStreams(organization, 5);
    await join(organization, streams, users);
    const found: number[] = [];
    for (const stream of streams)
      found.push(...(await addMessages(organization, { stream, topic: 'soup', by: users, count: 200 })));
    await settle(organization);
    const server = await startOperatorServer(harness, {
      DATABASE_URL: organization.url,
      PARLEY_SECRET: SECRET,
      PARLEY_RATE_LIMITS: 'off',
    });
    const connection = openConnection(server.port);
    harness.atEnd(() => connection.close());
    const target = { users, streams: streams.map(({ id }) => id), messages: found.slice(-100) };
    const followers = startFollowers(connection, target);
    const samples: Sample[] = [];
    const span = harness.span(SECONDS);
    const failures: Record<string, number> = {};
    const waits = await runDuring(probesOf(connection, target).map(countFailures(failures)), async () => {
      for (let n = 0; n < SAMPLES; n++) {
        await pause(span / SAMPLES);
        samples.push({ memory: server.memory(), tables: await tablesOf(organization) });
      }
    });
    followers.end();
    await server.stop();
    const requests = Object.values(waits).reduce((sum, one) => sum + one.length, 0);
    const after = `${shown(requests)} requests in ${shown(span / 60_000)} minutes`;
    const failed = Object.values(failures).reduce((sum, one) => sum + one, 0);
    return [
      tableRow(samples, after),
      memoryRow(samples, after),
      await bloatRow(organization, after),
      printRow(`failed requests: ${after}`, shown(failed), failures),
    ];
  },
};

interface LoadTarget {
  readonly users: readonly BenchUser[];
  readonly streams: readonly number[];
  /** The ids of the newest hundred. */
  messages: number[];
}

const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)] as Item;

/** The same user can have added or removed the same reaction at the same time. */
function ignoreConflict(error: unknown): { ms: number } {
  if (error instanceof BenchErrorResponse && error.status === 400) return { ms: 0 };
  throw error;
}

/** Each runs eight times a second: together the requests of a few thousand users. */
function probesOf({ request }: Connection, target: LoadTarget): Probe[] {
  const { users, streams } = target;
  const probe = (name: string, run: (user: BenchUser) => Promise<{ ms: number }>): Probe => ({
    name,
    run: () => run(pick(users)),
  });
  const changeFlag = (op: string, flag: string) => (user: BenchUser) =>
    request(user, 'POST /messages/flags', { messages: [pick(target.messages)], op, flag });
  return [
    probe('send', async (user) => {
      const to = pick(streams);
      const sent = await request(user, 'POST /messages', {
        type: 'stream',
        to,
        topic: 'soup',
        content: 'It is ready.',
      });
      target.messages = [...target.messages.slice(-99), (JSON.parse(sent.text) as { id: number }).id];
      return sent;
    }),
    probe('mark as read', changeFlag('add', 'read')),
    probe('star', changeFlag('add', 'starred')),
    probe('remove the star', changeFlag('remove', 'starred')),
    probe('mark a stream as read', (user) => request(user, 'POST /mark_stream_as_read', { stream_id: pick(streams) })),
    probe('react', async (user) => {
      const path = `/messages/${pick(target.messages)}/reactions`;
      const reaction = { emoji_name: 'octopus' };
      const added = await request(user, `POST ${path}`, reaction).catch(ignoreConflict);
      await request(user, `DELETE ${path}`, reaction).catch(ignoreConflict);
      return added;
    }),
    probe('type', (user) =>
      request(user, 'POST /typing', { type: 'stream', op: 'start', stream_id: pick(streams), topic: 'soup' }),
    ),
    probe('report presence', (user) => request(user, 'POST /users/me/presence', { status: 'active', ping_only: true })),
    probe('register and leave', async (user) => {
      const registered = await request(user, 'POST /register', { fetch_event_types: ['message'] });
      const { queue_id } = JSON.parse(registered.text) as { queue_id: string };
      await request(user, 'DELETE /events', { queue_id });
      return registered;
    }),
  ];
}

/** Counts failures by probe and status; the load goes on. */
const countFailures =
  (failures: Record<string, number>) =>
  ({ name, run }: Probe): Probe => ({
    name,
    run: () =>
      run().catch((error: unknown) => {
        const status = error instanceof BenchErrorResponse ? error.status : String(error);
        const what = `${name}: ${status}`;
        failures[what] = (failures[what] ?? 0) + 1;
        return { ms: 0 };
      }),
  });

/** Users who poll all events until the end. */
function startFollowers({ request }: Connection, { users }: LoadTarget): { end(): void } {
  let isOpen = true;
  const follow = async (user: BenchUser) => {
    const registered = await request(user, 'POST /register', { fetch_event_types: ['message'] });
    let { queue_id, last_event_id } = JSON.parse(registered.text) as { queue_id: string; last_event_id: number };
    while (isOpen) {
      const { text } = await request(user, 'GET /events', { queue_id, last_event_id });
      const { events } = JSON.parse(text) as { events: { id: number }[] };
      last_event_id = events.at(-1)?.id ?? last_event_id;
    }
  };
  for (const user of users.slice(0, FOLLOWERS))
    follow(user).catch((error: unknown) => {
      if (isOpen) console.error(error);
    });
  return {
    end() {
      isOpen = false;
    },
  };
}

interface Table {
  /** With indexes. */
  readonly bytes: number;
  /** As the database counts them. */
  readonly rows: number;
}

interface Sample {
  /** MiB. */
  readonly memory: number;
  readonly tables: ReadonlyMap<string, Table>;
}

async function tablesOf({ sql }: BenchOrganization): Promise<Map<string, Table>> {
  const found = await sql<(Table & { name: string })[]>`
    select relname as name, pg_total_relation_size(relid)::float8 as bytes, n_live_tup::float8 as rows
    from pg_stat_user_tables`;
  return new Map(found.map(({ name, bytes, rows }) => [name, { bytes, rows }]));
}

/** The last quarter against the second: before that, caches and tables reach their size. */
function growthOf(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const quarter = Math.floor(samples.length / 4);
  return median(samples.slice(-quarter).map(of)) / median(samples.slice(quarter, 2 * quarter).map(of));
}

/** Tables may grow with their rows, but no more. */
function tableRow(samples: readonly Sample[], after: string): MeasurementRow {
  const last = [...(samples.at(-1)?.tables ?? [])].filter(([, { bytes }]) => bytes >= SMALL);
  const grown = last.map(([name]) => {
    const of = (part: keyof Table) => growthOf(samples, ({ tables }) => Math.max(1, tables.get(name)?.[part] ?? 0));
    return [name, of('bytes') / Math.max(1, of('rows'))] as const;
  });
  return atMost({
    compared: `growth of the tables beyond that of their rows, last quarter against second: ${after}`,
    value: grown.reduce((most, [, one]) => Math.max(most, one), 0),
    limit: LIMIT,
    unit: TIMES,
    figures: Object.fromEntries(grown),
  });
}

function memoryRow(samples: readonly Sample[], after: string): MeasurementRow {
  return atMost({
    compared: `growth of the memory of the server, last quarter against second: ${after}`,
    value: growthOf(samples, ({ memory }) => memory),
    limit: LIMIT,
    unit: TIMES,
    figures: { 'MiB, first': samples[0]?.memory ?? 0, 'MiB, last': samples.at(-1)?.memory ?? 0 },
  });
}

/** The bytes on disk against those of the same rows written anew. */
async function bloatRow(organization: BenchOrganization, after: string): Promise<MeasurementRow> {
  const before = await tablesOf(organization);
  await organization.sql.unsafe('vacuum full');
  const compact = await tablesOf(organization);
  const sum = (tables: Map<string, Table>) => [...tables.values()].reduce((all, { bytes }) => all + bytes, 0);
  const [autovacuum] = await organization.sql<{ autovacuum: string }[]>`show autovacuum`;
  const large = [...before].filter(([, { bytes }]) => bytes >= SMALL);
  return printRow(
    `the database against itself after VACUUM FULL: ${after}`,
    times(sum(before) / sum(compact)),
    Object.fromEntries([
      ['autovacuum', autovacuum?.autovacuum ?? ''],
      ...large.map(([name, { bytes }]) => [
        name,
        `${shown(bytes / MIB)} and ${shown((compact.get(name)?.bytes ?? 0) / MIB)} MiB`,
      ]),
    ]),
  );
}
