// Messages to one stream take turns (docs/adr/0049).
import { sql } from '@parley/db/sql';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { countLockWaits } from '../../../test/lock-order.ts';
import { roomy } from '../../../test/test-server.ts';

const MINUTE = 60_000;

const send = (from: TestUser, to: string | number, content = 'hi') =>
  from.api.sendMessage({ type: 'stream', to, topic: 'soup', content });

/** A server whose turns last this long at most, in milliseconds. */
async function openKitchen({ turn = MINUTE, requests = roomy.requests } = {}) {
  const transactions = { wait: MINUTE, turn };
  const chat = await startChat({ ownDatabase: true, admissionLimits: { ...roomy, requests, transactions } });
  onTestFinished(() => chat.close());
  const ada = await chat.user('ada', { mirrored: false });
  const ben = await chat.user('ben', { mirrored: false });
  const kitchen = await chat.stream('kitchen', { by: ada, members: [ben] });
  await chat.stream('garden', { by: ada, members: [ben] });
  const whileLocked = (work: () => Promise<void>) =>
    chat.database.db.transaction(async (tx) => {
      await tx.execute(
        sql`select from conversations where realm_id = ${chat.realm.id} and id = ${kitchen} for no key update`,
      );
      await work();
    });
  const expectLockWaits = (count: number) => expect.poll(() => countLockWaits(chat), { interval: 5 }).toBe(count);
  return { chat, ada, ben, kitchen, turns: chat.app.admission.transactions, whileLocked, expectLockWaits };
}

test('a message that fails does not delay the next one', async () => {
  const { ada, ben, turns } = await openKitchen();
  const failing = expectError('BAD_REQUEST', send(ada, 'kitchen', ''));
  const sent = send(ben, 'kitchen');
  await failing;
  expect((await sent).id).toBeGreaterThan(0);
  expect(turns.running).toBe(0);
});

test('messages that name the stream by its id and by its name are all stored', async () => {
  const { ada, kitchen } = await openKitchen();
  const sent = await Promise.all(['kitchen', kitchen, 'KITCHEN', kitchen].map((to) => send(ada, to)));
  expect(new Set(sent.map(({ id }) => id)).size).toBe(4);
});

// The embedded database has one connection, and runs one transaction at a time.
describe.runIf(onPostgres)('while another transaction locks a stream', () => {
  test('the messages to it take one connection, and are sent in the order of the requests', async () => {
    const { ada, ben, turns, whileLocked, expectLockWaits } = await openKitchen();
    const sent: Promise<{ id: number }>[] = [];
    await whileLocked(async () => {
      for (let n = 1; n <= 6; n++) {
        sent.push(send(n % 2 ? ada : ben, 'kitchen', `message ${n}`));
        await expect.poll(() => turns.running + turns.waiting, { interval: 5 }).toBe(n);
      }
      await expectLockWaits(1);
      expect(turns.waiting).toBe(5);
    });
    const ids = (await Promise.all(sent)).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  test('messages to it leave room for other requests, and all are stored', async () => {
    const { chat, ada, ben, turns, whileLocked, expectLockWaits } = await openKitchen({
      requests: { running: 3, waiting: 100 },
    });
    const cooks = await chat.users('cleo', 'dan', 'eve', 'fay');
    for (const cook of cooks) await cook.api.subscribe({ subscriptions: [{ name: 'kitchen' }] });
    const sent: Promise<{ id: number }>[] = [];
    await whileLocked(async () => {
      sent.push(send(ada, 'kitchen'));
      await expectLockWaits(1);
      for (const cook of cooks) sent.push(send(cook, 'kitchen'));
      await expect.poll(() => turns.waiting, { interval: 5 }).toBe(cooks.length);
      expect((await send(ben, 'garden')).id).toBeGreaterThan(0);
      await expectLockWaits(1);
    });
    expect(new Set((await Promise.all(sent)).map(({ id }) => id)).size).toBe(1 + cooks.length);
    expect([chat.app.admission.requests.running, chat.app.admission.requests.waiting]).toEqual([0, 0]);
  });

  test('a message whose turn is over waits for the lock beside the next one, and all are stored', async () => {
    const { ada, turns, whileLocked, expectLockWaits } = await openKitchen({ turn: 20 });
    const sent: Promise<{ id: number }>[] = [];
    await whileLocked(async () => {
      for (let n = 1; n <= 3; n++) {
        sent.push(send(ada, 'kitchen'));
        await expectLockWaits(n);
      }
    });
    expect(new Set((await Promise.all(sent)).map(({ id }) => id)).size).toBe(3);
    expect([turns.running, turns.waiting]).toEqual([0, 0]);
  });

  test('messages to another stream do not wait', async () => {
    const { ada, whileLocked, expectLockWaits } = await openKitchen();
    let sent: Promise<unknown> | undefined;
    await whileLocked(async () => {
      sent = send(ada, 'kitchen');
      await expectLockWaits(1);
      expect((await send(ada, 'garden')).id).toBeGreaterThan(0);
      await expectLockWaits(1);
    });
    await sent;
  });
});
