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
/** Each with a server, an attacker and addresses of its own: an attack spends the rate limits of those that it uses. */
const ROUNDS = 3;

/** The attackers, the clients, and the server that both send requests to. */
interface AttackSetup {
  readonly database: string;
  /** MiB that the process may use. */
  readonly memory: number;
  readonly environment: ServerEnvironment;
  readonly attackers: readonly BenchUser[];
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
  const users = await addUsers(organization, ROUNDS + CLIENTS);
  const [attackers, clients] = [users.slice(0, ROUNDS), users.slice(ROUNDS)];
  const [stream] = await addStreams(organization, 1);
  if (!stream) throw new Error('The organization has no stream.');
  await join(organization, [stream], users);
  await addEmoji(organization, stream, attackers, harness.size(EMOJI, 20));
  await addMessages(organization, { stream, topic: 'soup', by: clients, count: 100 });
  await settle(organization);
  const environment = { DATABASE_URL: organization.url, PARLEY_SECRET: SECRET };
  return { database: 'PostgreSQL', memory: MEMORY, environment, attackers, clients, stream };
}

async function onEmbedded(harness: Harness): Promise<AttackSetup> {
  const { environment, users, stream } = await fillEmbedded(
    harness,
    ROUNDS + CLIENTS,
    async (line, [first, ...others], { id }) => {
      const send = (who: BenchUser | undefined, topic: string, content: string) =>
        who && line.request(who, 'POST /messages', { type: 'stream', to: id, topic, content });
      for (let n = 0; n < harness.size(EMOJI, 20); n++) await send(first, 'emoji', ':a:'.repeat(3_333));
      for (let n = 0; n < 100; n++) await send(others[n % others.length], 'soup', 'Soup is ready.');
    },
  );
  const [attackers, clients] = [users.slice(0, ROUNDS), users.slice(ROUNDS)];
  return { database: 'the embedded database', memory: EMBEDDED_MEMORY, environment, attackers, clients, stream };
}

async function measure(harness: Harness, setup: AttackSetup): Promise<MeasurementRow[]> {
  const { database, memory } = setup;
  const loads = { usual: await startLoad(harness), attack: await startLoad(harness) };
  const rounds: Round[] = [];
  for (const attacker of setup.attackers) rounds.push(await runRound(harness, setup, attacker, loads));
  const results = (load: 'quiet' | 'attacked' | 'attack') => rounds.map((round) => round[load]);
  const p99 = (load: 'quiet' | 'attacked') =>
    percentile(
      results(load).flatMap(({ times }) => times),
      0.99,
    );
  const clients = results('attacked');
  const sent = clients.reduce((sum, one) => sum + one.sent, 0);
  const served = clients.reduce((sum, { statuses }) => sum + (statuses[200] ?? 0), 0);
  const peak = Math.max(...rounds.map((round) => round.peak));
  return [
    equal(`requests of ten clients beside attacks on ${database}: sent, and served`, [sent, served], {
      ...byStatus('client', clients),
      ...byStatus('attack', results('attack')),
    }),
    atMost({
      compared: `p99 of ten clients beside attacks on ${database}, against the same clients alone`,
      value: p99('attacked') / p99('quiet'),
      limit: 3,
      unit: TIMES,
      figures: { 'ms, alone': p99('quiet'), 'ms, beside attacks': p99('attacked') },
    }),
    atMost({ compared: `memory of the server on ${database}, at most`, value: peak, limit: memory, unit: ' MiB' }),
  ];
}

/** What the clients and the attackers noticed, and the peak memory of the server in MiB. */
interface Round {
  readonly quiet: LoadResult;
  readonly attacked: LoadResult;
  readonly attack: LoadResult;
  readonly peak: number;
}

type LoadProcess = Awaited<ReturnType<typeof startLoad>>;

async function runRound(
  harness: Harness,
  { environment, attackers, clients, stream }: AttackSetup,
  attacker: BenchUser,
  { usual: { run: load }, attack: others }: { usual: LoadProcess; attack: LoadProcess },
): Promise<Round> {
  const serving = await startOperatorServer(harness, { ...environment, PARLEY_TRUST_PROXY: '1' });
  const seconds = Math.max(2, harness.size(30));
  const { port } = serving;
  const usual = { port, requests: usualRequests(clients, stream), rate: PACE };
  await load({ ...usual, seconds: 2 });
  const quiet = await load({ ...usual, seconds });
  // Before the clock starts: to pass these requests on keeps a core busy.
  const attacks = attacksOf(attacker, clients, attackers.indexOf(attacker));
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
  return { quiet, attacked, attack, peak };
}

/** The number of responses by status. */
function byStatus(who: string, results: readonly LoadResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { statuses } of results)
    for (const [status, count] of Object.entries(statuses)) {
      const name = `${who}: ${status}`;
      counts[name] = (counts[name] ?? 0) + count;
    }
  return counts;
}

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
  by: readonly BenchUser[],
  count: number,
): Promise<void> {
  const ids = await addMessages(organization, { stream, topic: 'emoji', by, count });
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

/** One request of each kind from many addresses, which are others in each round. */
function attacksOf({ login }: BenchUser, clients: readonly BenchUser[], round: number): LoadRequest[] {
  const words = Array.from({ length: 50 }, (_, n) => `look${n % 5 === 0 ? '' : n}`).join(' ');
  const narrow = encodeURIComponent(JSON.stringify(Array.from({ length: 20 }, () => ['search', words])));
  const search = encodeURIComponent(JSON.stringify([['search', words]]));
  const bomb = gzipSync('a&'.repeat(2_000_000)).toString('base64');
  const json = gzipSync(`{${Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`).join()}}`).toString('base64');
  const gzip = { 'Content-Encoding': 'gzip' };
  const login_of = (n: number) =>
    encodeForm({ username: clients[n % clients.length]?.email, password: `${n}` }).toString();
  return Array.from({ length: ADDRESSES }, (_, n) => {
    const headers = { 'X-Forwarded-For': `198.51.${n}.${round}` };
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
