// Reading and registering cost the same with ten million messages as with a hundred thousand.
import { addMessages, addStreams, addUsers, type BenchStream, fillInBulk, join, settle } from './harness/fill.ts';
import type { Harness } from './harness/harness.ts';
import type { BenchUser } from './harness/http.ts';
import { atMost, type Measurement, type MeasurementRow, printRow, shown, TIMES, times } from './harness/measurement.ts';
import type { BenchOrganization } from './harness/organization.ts';
import type { BenchServer } from './harness/server.ts';
import { inTurns, median } from './harness/times.ts';

const MANY = 10_000_000;
const FEW = 100_000;
const STREAMS = 100;
const TOPICS = 10;
/** The messages of each topic where there are few. */
const FEW_EACH = FEW / STREAMS / TOPICS;
const USERS = 50;
const ROUNDS = 100;
const WARM_UP = 20;
const LIMIT = 1.5;

interface FilledOrganization {
  readonly organization: BenchOrganization;
  readonly server: BenchServer;
  readonly streams: readonly BenchStream[];
  readonly users: readonly BenchUser[];
  readonly messages: number;
  /** The id of the message in the middle of each topic. */
  readonly middles: readonly number[];
}

export const history: Measurement = {
  name: 'history',
  async run(harness) {
    const few = await createFilledOrganization(harness, harness.size(FEW, STREAMS * TOPICS));
    const many = await createFilledOrganization(harness, harness.size(MANY, 10 * STREAMS * TOPICS));
    const rows: MeasurementRow[] = [];
    const against = `${shown(many.messages)} messages in the organization against ${shown(few.messages)}`;
    for (const [what, request] of Object.entries(requests)) {
      const { value, figures } = await compare(request, few, many);
      rows.push(atMost({ compared: `${what}: ${against}`, value, limit: LIMIT, unit: TIMES, figures }));
    }
    for (const [what, request] of Object.entries(searches)) {
      const { value, figures } = await compare(request, few, many);
      rows.push(printRow(`${what}: ${against}`, times(value), figures));
    }
    return [...rows, await sizeRow(many)];
  },
};

/** How many times as long a request takes where there are many messages. */
async function compare(request: FilledOrganizationRequest, few: FilledOrganization, many: FilledOrganization) {
  const variant = (filled: FilledOrganization) => async (round: number) => (await request(filled, round)).ms;
  const variants = { few: variant(few), many: variant(many) };
  await inTurns(WARM_UP, variants);
  const taken = await inTurns(ROUNDS, variants);
  const [one, other] = [median(taken.few), median(taken.many)];
  return { value: other / one, figures: { 'ms, few': one, 'ms, many': other } };
}

/** Streams with the same share of the messages each, written topic by topic; all users are subscribed to all of them. */
async function createFilledOrganization(harness: Harness, messages: number): Promise<FilledOrganization> {
  const organization = await harness.organization();
  const users = await addUsers(organization, USERS);
  const streams = await addStreams(organization, STREAMS);
  await join(organization, streams, users);
  const middles: number[] = [];
  const count = Math.round(messages / STREAMS / TOPICS);
  await fillInBulk(organization, 'messages', async () => {
    for (let topic = 0; topic < TOPICS; topic++)
      for (const [n, stream] of streams.entries()) {
        const tags =
          topic === 0 ? { color: 'red', from: 0, words: 100 } : { color: 'blue', from: n * FEW_EACH, words: 1000 };
        const ids = await addMessages(organization, { stream, topic: `topic ${topic}`, by: users, count, tags });
        middles.push(ids[Math.floor(count / 2)] ?? 0);
      }
  });
  await settle(organization);
  const server = await harness.server(organization, { quiet: true });
  return { organization, server, streams, users, middles, messages: count * STREAMS * TOPICS };
}

type FilledOrganizationRequest = (filled: FilledOrganization, round: number) => ReturnType<BenchServer['request']>;

const requests: Readonly<Record<string, FilledOrganizationRequest>> = {
  'the newest page of everything': (filled, round) => readPage(filled, round, { anchor: 'newest', num_before: 50 }),
  'the newest page of a stream': (filled, round) =>
    readPage(filled, round, { anchor: 'newest', num_before: 50, narrow: [inStream(filled, round)] }),
  'a page from the middle of a stream': (filled, round) => {
    const anchor = filled.middles[round % filled.middles.length] ?? 0;
    return readPage(filled, round, { anchor, num_before: 25, num_after: 25, narrow: [inStream(filled, round)] });
  },
  'the first unread page of a topic': (filled, round) => {
    const narrow = [inStream(filled, round), { operator: 'topic', operand: `topic ${round % TOPICS}` }];
    return readPage(filled, round, { anchor: 'first_unread', num_before: 25, num_after: 25, narrow });
  },
  'the newest page of what is unread': (filled, round) =>
    readPage(filled, round, { anchor: 'newest', num_before: 50, narrow: [{ operator: 'is', operand: 'unread' }] }),
  'a search for a word of few messages': (filled, round) => search(filled, round, String(1 + (round % 90))),
  'a search for a word of all messages': (filled, round) => search(filled, round, 'look'),
  'a search in a stream for a word of all messages': (filled, round) =>
    search(filled, round, 'look', [inStream(filled, round)]),
  'registering, with the unread messages': (filled, round) =>
    filled.server.request(userFor(filled, round), 'POST /register', {}),
  'a message': (filled, round) => {
    const to = streamFor(filled, round).id;
    const message = { type: 'stream', to, topic: 'topic 1', content: 'Soup is ready.' };
    return filled.server.request(userFor(filled, round), 'POST /messages', message);
  },
};

/** Words that are neither rare nor common, whose searches take longer where there are more messages. */
const searches: Readonly<Record<string, FilledOrganizationRequest>> = {
  'a search for a word of one in a thousand messages': (filled, round) => search(filled, round, `blue${round % 90}`),
  'a search for a word of one in a thousand messages, the oldest': (filled, round) =>
    search(filled, round, `red${round % 90}`),
  'a search for two words, one of few messages and one of all topics': (filled, round) =>
    search(filled, round, `topic ${1 + (round % 9)}`),
};

const userFor = ({ users }: FilledOrganization, round: number): BenchUser => itemAt(users, round);
const streamFor = ({ streams }: FilledOrganization, round: number): BenchStream => itemAt(streams, round);

function itemAt<Item>(items: readonly Item[], round: number): Item {
  const item = items[round % items.length];
  if (!item) throw new Error('There is no user, or no stream.');
  return item;
}

const inStream = (filled: FilledOrganization, round: number) => ({
  operator: 'stream',
  operand: streamFor(filled, round).id,
});

const search = (filled: FilledOrganization, round: number, operand: string, narrow: object[] = []) =>
  readPage(filled, round, {
    anchor: 'newest',
    num_before: 50,
    narrow: [...narrow, { operator: 'search', operand }],
  });

const readPage = (filled: FilledOrganization, round: number, params: object) =>
  filled.server.request(userFor(filled, round), 'GET /messages', { num_after: 0, ...params });

/** Bytes on disk for each message, of the tables and indexes with at least one byte for each. */
async function sizeRow({ organization, messages }: FilledOrganization): Promise<MeasurementRow> {
  const sizes = await organization.sql<{ name: string; bytes: number }[]>`
    select relname as name, pg_relation_size(c.oid)::float8 as bytes from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') and pg_relation_size(c.oid) >= ${messages}
    order by bytes desc`;
  const perMessage = (bytes: number) => bytes / messages;
  const all = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  return printRow(
    `bytes on disk for each of ${shown(messages)} messages, with all indexes`,
    shown(perMessage(all)),
    Object.fromEntries(sizes.map(({ name, bytes }) => [name, perMessage(bytes)])),
  );
}
