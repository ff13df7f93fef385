// Attacks beside well-behaved clients, on a server with its default limits: what the clients notice, and the server's
// memory.
import { gzipSync } from 'node:zlib';
import { encodeForm } from '@parley/client';
import { startChild } from './harness/child.ts';
import { fillEmbedded } from './harness/embedded-fixture.ts';
import { addMessages, addStreams, addUsers, type BenchStream, join, settle } from './harness/fill.ts';
import type { Harness } from './harness/harness.ts';
import type { BenchUser } from './harness/http.ts';
import type { Load, LoadRequest, LoadResult } from './harness/load-process.ts';
import { atMost, equal, type Measurement, type MeasurementRow, TIMES } from './harness/measurement.ts';
import { startOperatorServer } from './harness/operator-server.ts';
import type { BenchOrganization } from './harness/organization.ts';
import type { ServerEnvironment } from './harness/parley.ts';
import { SECRET } from './harness/postgres.ts';
import { percentile } from './harness/times.ts';

const CLIENTS = 10;
/** Requests per second: of all clients, and of all attackers. */
const PACE = 15;
const ATTACK = 60;
/** Addresses of the attackers, each of which sends every kind of attack in turn. */
const ADDRESSES = 40;
/** Messages whose HTML is much longer than their text. */
const EMOJI = 300;
/** MiB that the process may use, as in the operator guide. */
const MEMORY = 512;
const EMBEDDED_MEMORY = 768;

/** The attackers, the clients, and the server that both send requests to. */
interface AttackSetup {
  readonly database: string;
  /** MiB that the process may use. */
  readonly memory: number;
  readonly environment: ServerEnvironment;
  readonly attacker: BenchUser;
  readonly clients: readonly BenchUser[];
  readonly stream: BenchStream;
}

export const abuse: Measurement = {
  name: 'abuse',
  async run(harness) {
    return [
      ...(await measure(harness, await onPostgres(harness))),
      ...(await measure(harness, await onEmbedded(harness))),
    ];
  },
};

async function onPostgres(harness: Harness): Promise<AttackSetup> {
  const organization = await harness.organization();
  const [attacker, ...clients] = await addUsers(organization, CLIENTS + 1);
  const [stream] = await addStreams(organization, 1);
  if (!attacker || !stream) throw new Error('The organization has no users or no stream.');
  await join(organization, [stream], [attacker, ...clients]);
  await addEmoji(organization, stream, attacker, harness.size(EMOJI, 20));
  await addMessages(organization, { stream, topic: 'soup', by: clients, count: 100 });
  await settle(organization);
  const environment = { DATABASE_URL: organization.url, PARLEY_SECRET: SECRET };
  return { database: 'PostgreSQL', memory: MEMORY, environment, attacker, clients, stream };
}

async function onEmbedded(harness: Harness): Promise<AttackSetup> {
  const { environment, users, stream } = await fillEmbedded(
    harness,
    CLIENTS + 1,
    async (line, [first, ...others], { id }) => {
      const send = (who: BenchUser | undefined, topic: string, content: string) =>
        who && line.request(who, 'POST /messages', { type: 'stream', to: id, topic, content });
      for (let n = 0; n < harness.size(EMOJI, 20); n++) await send(first, 'emoji', ':a:'.repeat(3_333));
      for (let n = 0; n < 100; n++) await send(others[n % others.length], 'soup', 'Soup is ready.');
    },
  );
  const [attacker, ...clients] = users;
  if (!attacker) throw new Error('The organization has no users.');
  return { database: 'the embedded database', memory: EMBEDDED_MEMORY, environment, attacker, clients, stream };
}

async function measure(
  harness: Harness,
  { database, memory, environment, attacker, clients, stream }: AttackSetup,
): Promise<MeasurementRow[]> {
  const serving = await startOperatorServer(harness, { ...environment, PARLEY_TRUST_PROXY: '1' });
  const seconds = Math.max(2, harness.size(30));
  const { port } = serving;
  const usual = { port, requests: usualRequests(clients, stream), rate: PACE };
  const [{ run: load }, others] = [await startLoad(harness), await startLoad(harness)];
  await load({ ...usual, seconds: 2 });
  const quiet = await load({ ...usual, seconds });
  // Before the clock starts: to pass these requests on keeps a core busy.
  const attacks = attacksOf(attacker, clients);
  await others.prepare(attacks);
  // Like the usual requests: what code and statements cost when they are first used is not what is compared.
  const kinds = attacks.slice(0, attacks.length / ADDRESSES);
  await others.run({ port, requests: kinds, seconds: kinds.length / ATTACK, rate: ATTACK });
  const [attacked, attack] = await Promise.all([
    load({ ...usual, seconds }),
    others.run({ port, seconds, rate: ATTACK }),
  ]);
  const peak = serving.peak();
  await serving.stop();
  const p99 = (result: LoadResult) => percentile(result.times, 0.99);
  const served = (result: LoadResult) => [result.sent, result.statuses[200] ?? 0] as const;
  return [
    equal(`requests of ten clients beside attacks on ${database}: sent, and served`, served(attacked), {
      ...byStatus('client', attacked),
      ...byStatus('attack', attack),
    }),
    atMost({
      compared: `p99 of ten clients beside attacks on ${database}, against the same clients alone`,
      value: p99(attacked) / p99(quiet),
      limit: 3,
      unit: TIMES,
      figures: { 'ms, alone': p99(quiet), 'ms, beside attacks': p99(attacked) },
    }),
    atMost({ compared: `memory of the server on ${database}, at most`, value: peak, limit: memory, unit: ' MiB' }),
  ];
}

const byStatus = (who: string, { statuses }: LoadResult) =>
  Object.fromEntries(Object.entries(statuses).map(([status, count]) => [`${who}: ${status}`, count]));

async function startLoad(harness: Harness) {
  const child = await startChild('load-process.ts', {});
  harness.atEnd(() => child.stop());
  return {
    prepare: (requests: readonly LoadRequest[]): Promise<void> => child.call('prepare', requests),
    run: (load: Load): Promise<LoadResult> => child.call('run', load),
  };
}

async function addEmoji(
  organization: BenchOrganization,
  stream: BenchStream,
  by: BenchUser,
  count: number,
): Promise<void> {
  const ids = await addMessages(organization, { stream, topic: 'emoji', by: [by], count });
  const html = '<span aria-label="a" class="emoji emoji-1f170" role="img" title="a">:a:</span>';
  await organization.sql`update messages set content = ${':a:'.repeat(3_333)}, rendered_content = ${`<p>${html.repeat(1_500)}</p>`}
    where realm_id = ${organization.realm_id} and id = any(${ids}::bigint[])`;
}

/** What each client does in turn, each from an address of its own. */
function usualRequests(clients: readonly BenchUser[], stream: BenchStream): LoadRequest[] {
  const body = encodeForm({ type: 'stream', to: stream.id, topic: 'soup', content: 'Soup is ready.' }).toString();
  const narrow = encodeURIComponent(JSON.stringify([['topic', 'soup']]));
  const page = `/api/v1/messages?anchor=newest&num_before=20&num_after=0&narrow=${narrow}`;
  const kinds = [
    { method: 'POST', path: '/api/v1/messages', body },
    { method: 'GET', path: page },
    { method: 'GET', path: '/api/v1/users/me' },
  ];
  return kinds.flatMap((kind) =>
    clients.map(({ login }, n) => ({ ...kind, login, headers: { 'X-Forwarded-For': `192.0.2.${n + 1}` } })),
  );
}

/** One request of each kind from many addresses. */
function attacksOf({ login }: BenchUser, clients: readonly BenchUser[]): LoadRequest[] {
  const words = Array.from({ length: 50 }, (_, n) => `look${n % 5 === 0 ? '' : n}`).join(' ');
  const narrow = encodeURIComponent(JSON.stringify(Array.from({ length: 20 }, () => ['search', words])));
  const search = encodeURIComponent(JSON.stringify([['search', words]]));
  const bomb = gzipSync('a&'.repeat(2_000_000)).toString('base64');
  const json = gzipSync(`{${Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`).join()}}`).toString('base64');
  const gzip = { 'Content-Encoding': 'gzip' };
  const login_of = (n: number) =>
    encodeForm({ username: clients[n % clients.length]?.email, password: `${n}` }).toString();
  return Array.from({ length: ADDRESSES }, (_, n) => {
    const headers = { 'X-Forwarded-For': `198.51.${n}.7` };
    const wrong = `Basic ${Buffer.from(`${clients[n % clients.length]?.email}:${'0'.repeat(32)}`).toString('base64')}`;
    return [
      { method: 'POST', path: '/api/v1/fetch_api_key', bytes: bomb, headers: { ...headers, ...gzip } },
      {
        method: 'POST',
        path: '/api/v1/fetch_api_key',
        bytes: json,
        headers: { ...headers, ...gzip, 'Content-Type': 'application/json' },
      },
      { method: 'POST', path: '/api/v1/fetch_api_key', body: login_of(n), headers },
      { method: 'GET', path: '/api/v1/users/me', login: wrong, headers },
      {
        method: 'GET',
        path: `/api/v1/messages?anchor=newest&num_before=1000&num_after=0&narrow=${narrow}`,
        login,
        headers,
      },
      {
        method: 'GET',
        path: `/api/v1/messages?anchor=newest&num_before=1000&num_after=0&narrow=${search}`,
        login,
        headers,
      },
      { method: 'GET', path: '/api/v1/messages?anchor=oldest&num_before=0&num_after=1000', login, headers },
      { method: 'POST', path: '/api/v1/register', login, headers },
    ];
  }).flat();
}
