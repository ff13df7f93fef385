// Requests in progress: the shares of one account and of one organization, and the order of those that wait.

import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { computeAdmissionLimits } from '../../src/core/admission-limits.ts';
import { createAdmission } from '../../src/http/admission/index.ts';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { got, loginOf, uploaded } from '../files.ts';
import { FORM, messageTo, send } from './raw-request.ts';

const CONNECTIONS = 8;
const limits = computeAdmissionLimits(CONNECTIONS);
const { running } = limits.requests;
const OF_ACCOUNT = limits.requests.lane ?? Number.NaN;
const OF_ORGANIZATION = limits.requests.group ?? Number.NaN;

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  // No wait in these tests depends on the speed of the machine.
  const patient = { ...limits.requests, timeouts: { wait: 60_000, target: 60_000 } };
  chat = await startChat({ ownDatabase: true, trustProxy: 1, admissionLimits: { ...limits, requests: patient } });
  [ada, ben] = await chat.users('ada', 'ben');
});
afterAll(() => chat.close());

let release: (() => void) | undefined;
let held: Promise<unknown> = Promise.resolve();
let sent: Promise<unknown>[] = [];
afterEach(async () => {
  release?.();
  await held;
  await Promise.all(sent);
  sent = [];
  await expect.poll(() => chat.app.admission.requests.running).toBe(0);
});

/** From now on every request that emits an event waits, and holds its connection. */
const blockEvents = () => block(sql`select from realm_clock where realm_id = ${chat.realm.id} for update`);

/** From now on every request waits for its caller to be read: none is remembered while callers change. */
const blockCallers = () => block(sql`select change_callers()`, sql`lock table realms in access exclusive mode`);

/** Holds locks until the test ends. */
async function block(...locks: SQL[]): Promise<void> {
  const locked = new Promise<void>((resolve) => {
    held = chat.database.db.transaction(async (tx) => {
      for (const lock of locks) await tx.execute(lock);
      resolve();
      await new Promise<void>((end) => {
        release = end;
      });
    });
  });
  await locked;
}

/** Sends several messages concurrently; each stays in progress while events are blocked. */
function sendMessages(from: TestUser, count: number): void {
  for (let n = 0; n < count; n++) sent.push(chat.message({ from, to: [from] }));
}

const from = (n: number) => ({ 'X-Forwarded-For': `198.51.100.${n}` });

const inWork = () => chat.app.admission.requests.running;
const waiting = () => chat.app.admission.requests.waiting;

test.runIf(process.env.DATABASE_URL)(
  'one account has at most half of the requests in progress, and another one is served at once',
  async () => {
    await blockEvents();
    sendMessages(ada, 12);
    await expect.poll(() => [inWork(), waiting()]).toEqual([OF_ACCOUNT, 12 - OF_ACCOUNT]);
    expect((await ben.api.getOwnUser()).user_id).toBe(ben.id);
    expect([inWork(), waiting()]).toEqual([OF_ACCOUNT, 12 - OF_ACCOUNT]);
  },
);

test.runIf(process.env.DATABASE_URL)(
  'the accounts of one organization leave a slot to other organizations',
  async () => {
    const other = await chat.otherRealm('ceres');
    const [cat] = await chat.users('cat');
    for (const person of [ada, ben, cat]) await person.api.getOwnUser();
    await blockEvents();
    for (const person of [ada, ben, cat]) sendMessages(person, 4);
    await expect.poll(() => [inWork(), waiting()]).toEqual([OF_ORGANIZATION, 12 - OF_ORGANIZATION]);
    expect(OF_ORGANIZATION).toBeLessThan(running);
    expect((await other.owner.api.getOwnUser()).user_id).toBe(other.owner.id);
    const { queue_id, last_event_id } = await other.owner.api.registerQueue({ fetch_event_types: [] });
    expect(await other.owner.api.getEvents({ queue_id, last_event_id, dont_block: true })).toMatchObject({
      events: [],
    });
  },
);

test('a download releases its slot, however often a file is read, and also when its client disconnects', async () => {
  const uri = await uploaded(ada);
  for (let n = 0; n < 3 * running; n++) expect((await got(chat, ada, uri)).status).toBe(200);
  for (const [method, status] of [
    ['HEAD', 200],
    ['POST', 404],
  ] as const)
    expect((await got(chat, ada, uri, { method })).status).toBe(status);
  const large = await uploaded(ada, new File([new Uint8Array(4 * 1024 * 1024)], 'large.bin'));
  for (let n = 0; n < running; n++) {
    const leaving = new AbortController();
    await chat.fetch(large, { headers: loginOf(ada), signal: leaving.signal });
    leaving.abort();
  }
  await expect.poll(inWork).toBe(0);
});

test('on the embedded database six requests are in progress, one of each account: more would wait where accounts have no turns', () => {
  const { requests } = createAdmission({ kind: 'embedded', connections: 1 });
  for (const lane of ['ada', 'ada', 'ben', 'ben', 'cat', 'dan', 'eve', 'fay', 'gus'])
    requests.enter({ lane, group: lane }).catch(() => {});
  expect([requests.running, requests.waiting]).toEqual([6, 3]);
  const { requests: others } = createAdmission({ kind: 'postgres', connections: CONNECTIONS });
  for (const lane of ['ada', 'ada', 'ada', 'ada']) others.enter({ lane, group: 'one' }).catch(() => {});
  expect(others.running).toBe(OF_ACCOUNT);
});

test.runIf(process.env.DATABASE_URL)('polls have places of their own', async () => {
  const { queue_id, last_event_id } = await ada.api.registerQueue({ fetch_event_types: [] });
  await blockEvents();
  sendMessages(ada, 8);
  await expect.poll(() => inWork()).toBe(OF_ACCOUNT);
  expect(await ada.api.getEvents({ queue_id, last_event_id, dont_block: true })).toMatchObject({ events: [] });
});

test.runIf(process.env.DATABASE_URL)('bots count as their owner', async () => {
  const bots = [await chat.user('ant', { bot_of: ada }), await chat.user('bee', { bot_of: ada })];
  for (const person of [ada, ...bots]) await person.api.getOwnUser();
  await blockEvents();
  for (const person of [ada, ...bots]) sendMessages(person, 2);
  await expect.poll(() => [inWork(), waiting()]).toEqual([OF_ACCOUNT, 6 - OF_ACCOUNT]);
});

test.runIf(process.env.DATABASE_URL)(
  'wrong credentials share the slots of their address, and a known caller does not wait for them',
  async () => {
    await ada.api.getOwnUser();
    await blockCallers();
    for (let n = 0; n < 12; n++) {
      const Authorization = `Basic ${Buffer.from(`${ben.email}:${`${n}`.repeat(32)}`).toString('base64')}`;
      const headers = { Host: `${chat.realm.host}:${1000 + n}`, Authorization };
      sent.push(send(chat, '/users/me', { method: 'GET', headers }));
    }
    await expect.poll(() => [inWork(), waiting()]).toEqual([OF_ACCOUNT, 12 - OF_ACCOUNT]);
    sent.push(ada.api.getOwnUser());
    await expect.poll(() => [inWork(), waiting()]).toEqual([OF_ACCOUNT + 1, 12 - OF_ACCOUNT]);
  },
);

test.runIf(process.env.DATABASE_URL)(
  'an account has one share, however its credentials and the host are written',
  async () => {
    const spellings = Array.from({ length: 12 }, (_, n) => ({
      Host: `${chat.realm.host}:${1000 + n}`,
      Authorization: `Basic ${Buffer.from(`${n % 2 ? ada.email.toUpperCase() : ada.email}:${ada.apiKey}`).toString('base64')}`,
    }));
    await blockEvents();
    for (const headers of spellings) {
      sent.push(send(chat, '/messages', { headers: { ...headers, 'Content-Type': FORM }, body: messageTo(ada) }));
    }
    await expect.poll(() => [inWork(), waiting()]).toEqual([OF_ACCOUNT, 12 - OF_ACCOUNT]);
    expect((await ben.api.getOwnUser()).user_id).toBe(ben.id);
  },
);

test.runIf(process.env.DATABASE_URL)(
  'many addresses with wrong credentials together take turns with the accounts of the organization',
  async () => {
    await ada.api.getOwnUser();
    await blockCallers();
    const wrong = (n: number) => ({ Authorization: `Basic ${btoa(`${ben.email}:${'x'.repeat(32)}`)}`, ...from(n) });
    for (let n = 0; n < 12; n++) sent.push(send(chat, '/users/me', { method: 'GET', headers: wrong(n) }));
    await expect.poll(() => [inWork(), waiting()]).toEqual([OF_ORGANIZATION, 12 - OF_ORGANIZATION]);
    expect(OF_ORGANIZATION).toBeLessThan(running);
    sent.push(ada.api.getOwnUser());
    await expect.poll(() => [inWork(), waiting()]).toEqual([OF_ORGANIZATION + 1, 12 - OF_ORGANIZATION]);
  },
);
