// Places among the requests in work and bytes of quotas: what a request holds it gives back, whatever becomes of it.
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { rows } from '@parley/db';
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { computeAdmissionLimits } from '../../src/core/admission-limits.ts';
import { createListener } from '../../src/http/listener.ts';
import { createServer } from '../../src/http/server.ts';
import { serviceLayers } from '../../src/http/service.ts';
import { type Chat, PASSWORD, startChat, type TestUser } from '../chat.ts';
import { countRequests } from '../counted-statements.ts';
import { loginOf, partsOf, uploaded } from '../files.ts';
import { openThirdParty, register, userWithPassword } from '../third-party.ts';
import { FORM } from './raw-request.ts';

const names = [
  'a read',
  'a read with a token',
  'a write',
  'a write with a key',
  'a compressed write',
  'an upload',
  'a registration',
  'a poll',
  'a stream of events',
  'a wrong parameter',
  'an operation of others',
  'a wrong key',
  'a wrong token',
  'another host',
  'a login',
  'a file',
  'the head of a file',
  'a file that the client has',
  'a part that a file does not have',
  'a file that is not there',
  'a file by a temporary address',
  'a wrong temporary address',
  'an avatar',
  'an emoji',
  'a preflight request',
  'a token request',
  'a page of consent',
  'a consent',
  'a page of single sign-on',
  'a link of an email',
] as const;
type Target = (typeof names)[number];

const CONNECTIONS = 8;
const limits = computeAdmissionLimits(CONNECTIONS);
const OF_ACCOUNT = limits.requests.lane ?? Number.NaN;
/** Nothing here may depend on how fast the machine is. */
const patient = { ...limits, requests: { ...limits.requests, timeouts: { wait: 60_000, target: 60_000 } } };

let chat: Chat;
let ada: TestUser;
let targets: Record<Target, Buffer>;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true, trustProxy: 1, admissionLimits: patient });
  ada = await userWithPassword(chat, 'ada');
  targets = await listTargets();
});
afterAll(() => chat.close());

interface Asked {
  readonly login?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly host?: string;
  readonly body?: string | Buffer;
}

/** A request as it is sent. */
function toRequest(line: string, { login = {}, headers = {}, host = chat.realm.host, body = '' }: Asked = {}): Buffer {
  const length = { 'Content-Length': String(Buffer.byteLength(body)) };
  const all = Object.entries({ Host: host, ...login, ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const isForm = { 'Content-Type': FORM };

async function listTargets(): Promise<Record<Target, Buffer>> {
  const login = loginOf(ada);
  const { queue_id, last_event_id } = await ada.api.registerQueue({ fetch_event_types: [] });
  const events = `GET /api/v1/events?${form({ queue_id, last_event_id: String(last_event_id), dont_block: 'true' })}`;
  const file = await uploaded(ada);
  const { url } = await ada.api.getFileUrl(partsOf(file));
  const message = form({ type: 'direct', to: `[${ada.id}]`, content: 'soup' });
  const { secret } = await ada.api.createToken({ name: 'Digest', scopes: ['read'] });
  const consent = (await openThirdParty(chat, await register(chat))).authorizationUrl();
  const page = consent.pathname + consent.search;
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="soup.txt"\r\n\r\nsoup\r\n--x--\r\n';
  const isMultipart = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const wrong = { Authorization: `Basic ${btoa(`${ada.email}:${'x'.repeat(32)}`)}` };
  return {
    'a read': toRequest('GET /api/v1/users/me', { login }),
    'a read with a token': toRequest('GET /api/v1/users/me', { login: { Authorization: `Bearer ${secret}` } }),
    'a write': toRequest('POST /api/v1/messages', { login, headers: isForm, body: message }),
    'a write with a key': toRequest('POST /api/v1/messages', {
      login,
      headers: { ...isForm, 'Idempotency-Key': 'soup' },
      body: message,
    }),
    'a compressed write': toRequest('POST /api/v1/messages', {
      login,
      headers: { ...isForm, 'Content-Encoding': 'gzip' },
      body: gzipSync(message),
    }),
    'an upload': toRequest('POST /api/v1/user_uploads', { login, headers: isMultipart, body: part }),
    'a registration': toRequest('POST /api/v1/register', { login }),
    'a poll': toRequest(events, { login }),
    'a stream of events': toRequest(events, { login, headers: { Accept: 'text/event-stream' } }),
    'a wrong parameter': toRequest('GET /api/v1/messages/x', { login }),
    'an operation of others': toRequest('GET /api/v1/applications', { login }),
    'a wrong key': toRequest('GET /api/v1/users/me', { login: wrong }),
    'a wrong token': toRequest('GET /api/v1/users/me', { login: { Authorization: 'Bearer parley_soup' } }),
    'another host': toRequest('GET /api/v1/server_settings', { host: 'nowhere.localhost' }),
    'a login': toRequest('POST /api/v1/fetch_api_key', {
      headers: isForm,
      body: form({ username: ada.email, password: PASSWORD }),
    }),
    'a file': toRequest(`GET ${file}`, { login }),
    'the head of a file': toRequest(`HEAD ${file}`, { login }),
    'a file that the client has': toRequest(`GET ${file}`, { login, headers: { 'If-None-Match': '*' } }),
    'a part that a file does not have': toRequest(`GET ${file}`, { login, headers: { Range: 'bytes=99999-' } }),
    'a file that is not there': toRequest(`GET ${file}x`, { login }),
    'a file by a temporary address': toRequest(`GET ${url}`),
    'a wrong temporary address': toRequest('GET /user_uploads/temporary/soup/soup.txt'),
    'an avatar': toRequest('GET /user_avatars/00000000-0000-0000-0000-000000000000'),
    'an emoji': toRequest('GET /emoji/99'),
    'a preflight request': toRequest('OPTIONS /api/v1/users/me', {
      host: 'unknown.localhost',
      headers: { Origin: 'https://evil.example' },
    }),
    'a token request': toRequest('POST /oauth/token', {
      headers: isForm,
      body: form({ grant_type: 'refresh_token', client_id: '1', refresh_token: 'soup' }),
    }),
    'a page of consent': toRequest(`GET ${page}`),
    'a consent': toRequest(`POST ${page}`, {
      headers: isForm,
      body: form({ username: ada.email, password: PASSWORD, decision: 'allow' }),
    }),
    'a page of single sign-on': toRequest('GET /accounts/login/oidc/soup'),
    'a link of an email': toRequest('GET /confirm_email/soup'),
  };
}

/** What is in work, waits, or counts against a quota. */
const held = () => {
  const { admission, requestBytes, responseBytes, downloads } = chat.app;
  const { requests, polls } = admission;
  return {
    running: requests.running + polls.running,
    waiting: requests.waiting + polls.waiting,
    requestBytes: requestBytes.total,
    responseBytes: responseBytes.total,
    downloads: downloads.total,
  };
};
const NOTHING = { running: 0, waiting: 0, requestBytes: 0, responseBytes: 0, downloads: 0 };
const expectNothingHeld = () => expect.poll(held, { timeout: 15_000 }).toEqual(NOTHING);

const open = (bytes: string | Buffer, port = chat.port): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(bytes);
      resolve(socket);
    }).on('error', reject);
    socket.on('error', () => {});
  });

/** Sends a request, and leaves when the response begins; returns what has come of it. */
async function ask(bytes: string | Buffer, port = chat.port): Promise<string> {
  const socket = await open(bytes, port);
  const begun = await new Promise<string>((resolve) => {
    socket.once('data', (chunk) => resolve(chunk.toString('latin1'))).once('close', () => resolve(''));
  });
  socket.destroy();
  return begun;
}

describe.each(names)('%s', (name) => {
  const bytes = () => targets[name];

  test('gives back what it holds, at whichever statement its client leaves', async () => {
    let [seen, at] = [0, 0];
    do {
      at++;
      seen = 0;
      await chat.statements(
        () => ask(bytes()),
        () => {
          if (++seen === at) chat.closeConnections();
        },
      );
      await expectNothingHeld();
    } while (seen >= at);
    expect(await ask(bytes())).toMatch(/^HTTP\/1.1 \d/);
    await expectNothingHeld();
  });

  test('gives back what it holds behind a poll that waits, also if its response is never sent', async () => {
    const { queue_id, last_event_id } = await ada.api.registerQueue({ fetch_event_types: [], event_types: ['realm'] });
    const poll = `GET /api/v1/events?${form({ queue_id, last_event_id: String(last_event_id) })}`;
    const socket = await open(Buffer.concat([toRequest(poll, { login: loginOf(ada) }), bytes()]));
    // The response is written, and waits for that of the poll.
    await expect.poll(() => chat.app.responseBytes.total, { timeout: 15_000 }).toBeGreaterThan(0);
    await expect.poll(() => held().running).toBe(0);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    chat.closeConnections();
    await closed;
    await expectNothingHeld();
  });

  test('gives back what it holds if its client sends half of it', async () => {
    const socket = await open(bytes().slice(0, -1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    await expectNothingHeld();
  });
});

let release = async () => {};
afterEach(() => release());

/** Holds a lock until `release` is called. */
async function hold(lock: SQL): Promise<void> {
  let held: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve) => {
    held = chat.database.db.transaction(async (tx) => {
      await tx.execute(lock);
      resolve();
      await new Promise<void>((end) => {
        release = async () => {
          end();
          await held;
        };
      });
    });
  });
}

/** How many statements wait for a lock. */
const countBlocked = async (): Promise<number> =>
  (
    await rows(
      chat.database.db,
      sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).length;

const openAll = (count: number, toBytes: (n: number) => string | Buffer) =>
  Promise.all(Array.from({ length: count }, (_, n) => open(toBytes(n))));
const inWork = () => [held().running, held().waiting];

test.runIf(process.env.DATABASE_URL)(
  'a client that leaves has its place until what it asked for ends, and does not get another one for leaving',
  async () => {
    // Its lane is that of its account from now on.
    await ada.api.getOwnUser();
    await hold(sql`select from realm_clock where realm_id = ${chat.realm.id} for update`);
    const write = targets['a write'];
    await openAll(OF_ACCOUNT, () => write);
    await expect.poll(countBlocked).toBe(OF_ACCOUNT);
    expect(inWork()).toEqual([OF_ACCOUNT, 0]);
    chat.closeConnections();
    const others = await openAll(3, () => write);
    await expect.poll(inWork).toEqual([OF_ACCOUNT, 3]);
    for (const socket of others) socket.destroy();
    await expect.poll(inWork).toEqual([OF_ACCOUNT, 0]);
    await release();
    await expectNothingHeld();
  },
);

test.runIf(process.env.DATABASE_URL)(
  'requests of one address share its places, whichever names of hosts they send and whatever they ask for',
  async () => {
    await hold(sql`lock table realms in access exclusive mode`);
    const wrong = { Authorization: `Basic ${btoa(`soup@example.com:${'x'.repeat(32)}`)}` };
    const host = (n: number) => `host${n}.localhost:${1000 + n}`;
    const body = form({ grant_type: 'refresh_token', client_id: '1', refresh_token: 'soup' });
    const sockets = await Promise.all([
      openAll(6, (n) => toRequest('GET /api/v1/users/me', { login: wrong, host: host(n) })),
      openAll(6, (n) => toRequest('POST /oauth/token', { headers: isForm, host: host(n + 6), body })),
      openAll(6, (n) => toRequest('GET /oauth/authorize?client_id=1', { host: host(n + 12) })),
    ]);
    await expect.poll(inWork).toEqual([OF_ACCOUNT, 18 - OF_ACCOUNT]);
    for (const socket of sockets.flat()) socket.destroy();
    await release();
    await expectNothingHeld();
  },
);

test('pages, pictures and files wait for a place as operations do, and cost no statement without one', async () => {
  const none = { running: 0, waiting: 10, timeouts: { wait: 50, target: 50 } };
  const full = await startChat({ ownDatabase: true, admissionLimits: { requests: none, polls: none } });
  const { app } = full;
  const layers = serviceLayers({ app, health: { draining: false }, docs: false });
  const listener = createListener(createServer(app, layers)).listen(0, '127.0.0.1');
  countRequests(listener);
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const asked = {
    'the first page': toRequest('GET /'),
    'metadata of OAuth': toRequest('GET /.well-known/oauth-authorization-server'),
    ...Object.fromEntries(
      names.slice(names.indexOf('a file by a temporary address')).map((name) => [name, targets[name]]),
    ),
  };
  for (const [name, bytes = ''] of Object.entries(asked)) {
    let status = '';
    const statements = await full.statements(async () => {
      status = (await ask(bytes, port)).slice(9, 12);
    });
    // Where the origins of an organization cannot be read, none is allowed.
    expect([name, status, statements]).toEqual([name, name === 'a preflight request' ? '204' : '503', 0]);
  }
  listener.close();
  await full.close();
});
