// Messages to one stream take turns (docs/adr/0049).
import { rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
let kitchen: number;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  ada = await chat.user('ada', { mirrored: false });
  ben = await chat.user('ben', { mirrored: false });
  kitchen = await chat.stream('kitchen', { by: ada, members: [ben] });
  await chat.stream('garden', { by: ada, members: [ben] });
});
afterAll(() => chat.close());

const send = (from: TestUser, to: string | number, content = 'hi') =>
  from.api.sendMessage({ type: 'stream', to, topic: 'soup', content });

test('a message that fails does not delay the next one', async () => {
  const failing = expectError('BAD_REQUEST', send(ada, 'kitchen', ''));
  const sent = send(ben, 'kitchen');
  await failing;
  expect((await sent).id).toBeGreaterThan(0);
  expect(chat.app.admission.transactions.running).toBe(0);
});

test('messages that name the stream by its id and by its name are all stored', async () => {
  const sent = await Promise.all(['kitchen', kitchen, 'KITCHEN', kitchen].map((to) => send(ada, to)));
  expect(new Set(sent.map(({ id }) => id)).size).toBe(4);
});

// The embedded database has one connection, and runs one transaction at a time.
describe.runIf(onPostgres)('while another transaction locks a stream', () => {
  const locked = (work: () => Promise<void>) =>
    chat.database.db.transaction(async (tx) => {
      await tx.execute(
        sql`select from conversations where realm_id = ${chat.realm.id} and id = ${kitchen} for no key update`,
      );
      await work();
    });
  const waiting = async () => {
    const found = await rows(
      chat.database.db,
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return found.length;
  };

  test('the messages to it take one connection, and are sent in the order of the requests', async () => {
    const sent: Promise<{ id: number }>[] = [];
    const { transactions } = chat.app.admission;
    await locked(async () => {
      for (let n = 1; n <= 6; n++) {
        sent.push(send(n % 2 ? ada : ben, 'kitchen', `message ${n}`));
        await expect.poll(() => transactions.running + transactions.waiting, { interval: 5 }).toBe(n);
      }
      await expect.poll(waiting, { interval: 5 }).toBe(1);
      expect(transactions.waiting).toBe(5);
    });
    const ids = (await Promise.all(sent)).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  test('messages to another stream do not wait', async () => {
    let sent: Promise<unknown> | undefined;
    await locked(async () => {
      sent = send(ada, 'kitchen');
      await expect.poll(waiting, { interval: 5 }).toBe(1);
      expect((await send(ada, 'garden')).id).toBeGreaterThan(0);
      expect(await waiting()).toBe(1);
    });
    await sent;
  });
});
