// Slots that the requests of one account, and those of one address, share.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createListener } from '../../src/http/listener.ts';
import { createServer } from '../../src/http/server.ts';
import { serviceLayers } from '../../src/http/service.ts';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { countRequests } from '../counted-statements.ts';
import { form, isForm, type RequestKind, requestKinds, toRequest } from '../fixtures/request-kinds.ts';
import { limits, startSlotChat } from '../fixtures/slot-chat.ts';
import { countHeld, expectNothingHeld, openSocket, readStart } from '../fixtures/sockets.ts';
import { countLockWaits } from '../lock-order.ts';

const OF_ACCOUNT = limits.requests.lane ?? Number.NaN;

let chat: Chat;
let ada: TestUser;
let targets: Record<RequestKind, Buffer>;
beforeAll(async () => {
  ({ chat, ada, targets } = await startSlotChat());
});
afterAll(() => chat.close());

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

const openAll = (count: number, toBytes: (n: number) => string | Buffer) =>
  Promise.all(Array.from({ length: count }, (_, n) => openSocket(chat.port, toBytes(n))));
const inWork = () => [countHeld(chat).running, countHeld(chat).waiting];

test.runIf(process.env.DATABASE_URL)(
  'a client that leaves has its place until what it asked for ends, and does not get another one for leaving',
  async () => {
    // Its lane is that of its account from now on.
    await ada.api.getOwnUser();
    await hold(sql`select from realm_clock where realm_id = ${chat.realm.id} for update`);
    const write = targets['a write'];
    await openAll(OF_ACCOUNT, () => write);
    await expect.poll(() => countLockWaits(chat)).toBe(OF_ACCOUNT);
    expect(inWork()).toEqual([OF_ACCOUNT, 0]);
    chat.closeConnections();
    const others = await openAll(3, () => write);
    await expect.poll(inWork).toEqual([OF_ACCOUNT, 3]);
    for (const socket of others) socket.destroy();
    await expect.poll(inWork).toEqual([OF_ACCOUNT, 0]);
    await release();
    await expectNothingHeld(chat);
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
      openAll(6, (n) => toRequest(chat, 'GET /api/v1/users/me', { login: wrong, host: host(n) })),
      openAll(6, (n) => toRequest(chat, 'POST /oauth/token', { headers: isForm, host: host(n + 6), body })),
      openAll(6, (n) => toRequest(chat, 'GET /oauth/authorize?client_id=1', { host: host(n + 12) })),
    ]);
    await expect.poll(inWork).toEqual([OF_ACCOUNT, 18 - OF_ACCOUNT]);
    for (const socket of sockets.flat()) socket.destroy();
    await release();
    await expectNothingHeld(chat);
  },
);

test('pages, pictures and files wait for a slot as operations do, and cost no statement without one', async () => {
  const none = { running: 0, waiting: 10, timeouts: { wait: 50, target: 50 } };
  const full = await startChat({ ownDatabase: true, admissionLimits: { ...limits, requests: none, polls: none } });
  const { app } = full;
  const layers = serviceLayers({ app, health: { draining: false }, docs: false });
  const listener = createListener(createServer(app, layers)).listen(0, '127.0.0.1');
  countRequests(listener);
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const requests = {
    'the first page': toRequest(chat, 'GET /'),
    'metadata of OAuth': toRequest(chat, 'GET /.well-known/oauth-authorization-server'),
    ...Object.fromEntries(
      requestKinds.slice(requestKinds.indexOf('a file by a temporary address')).map((name) => [name, targets[name]]),
    ),
  };
  for (const [name, bytes = ''] of Object.entries(requests)) {
    let status = '';
    const statements = await full.statements(async () => {
      status = (await readStart(port, bytes)).slice(9, 12);
    });
    // Where the origins of an organization cannot be read, none is allowed.
    expect([name, status, statements]).toEqual([name, name === 'a preflight request' ? '204' : '503', 0]);
  }
  listener.close();
  await full.close();
});
