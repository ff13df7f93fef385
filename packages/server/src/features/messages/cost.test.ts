import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());

/** Subscribes users who never log in. */
async function crowd(stream_id: number, size: number): Promise<void> {
  const { id: realm_id } = chat.realm;
  await chat.database.db.execute(`
    with made as (
      insert into users (realm_id, delivery_email, email_key, full_name, role, date_joined)
      select ${realm_id}, 'c' || ${stream_id} || '-' || n || '@example.com', 'c' || ${stream_id} || '-' || n || '@example.com', 'Crowd ' || n, 400, now()
      from generate_series(1, ${size}) n returning id
    )
    insert into memberships (realm_id, conversation_id, user_id, active, received) select ${realm_id}, ${stream_id}, id, true, '{[1,)}' from made`);
}

async function rowsIn(table: string): Promise<number> {
  const result = await chat.database.db.execute<{ count: number }>(`select count(*)::int as count from ${table}`);
  const [row] = (Array.isArray(result) ? result : (result as unknown as { rows: { count: number }[] }).rows) as {
    count: number;
  }[];
  return row?.count ?? Number.NaN;
}

const quiet = (name: string) => chat.user(name, { mirrored: false });
const send = (from: TestUser, to: string, content = 'hi') =>
  from.api.sendMessage({ type: 'stream', to, topic: 'soup', content });

test('sending to a stream takes the same few statements and writes the same rows for any number of subscribers', async () => {
  const ada = await quiet('ada');
  const costs = [];
  for (const size of [10, 1000]) {
    const name = `hall of ${size}`;
    await crowd(await chat.stream(name, { by: ada }), size);
    await send(ada, name);
    const tables = ['message_flags', 'read_marks', 'events', 'messages', 'memberships'];
    const before = await Promise.all(tables.map(rowsIn));
    const statements = await chat.statements(() => send(ada, name));
    const after = await Promise.all(tables.map(rowsIn));
    costs.push({ statements, written: after.map((count, n) => count - (before[n] ?? 0)) });
  }
  expect(costs[1]).toEqual(costs[0]);
  expect(costs[0]?.written).toEqual([0, 0, 1, 1, 0]);
});

test('a message takes four statements: the caller, the target, its number, and the last, which writes and commits', async () => {
  const [ada, ben] = [await quiet('ada'), await quiet('ben')];
  await chat.stream('small room', { by: ada });
  const toBen = () => ada.api.sendMessage({ type: 'direct', to: [ben.id], content: 'hi' });
  for (const sendOne of [() => send(ada, 'small room'), toBen]) {
    await sendOne();
    expect(await chat.statements(sendOne)).toBe(4);
  }
});

test('mentioning more users takes no more statements', async () => {
  const ada = await quiet('ada');
  const users = await Promise.all(['ben', 'cleo', 'dan'].map(quiet));
  const name = 'room of mentions';
  await chat.stream(name, { by: ada, members: users });
  await send(ada, name);
  const mention = (some: TestUser[]) =>
    chat.statements(() => send(ada, name, some.map((one) => `@**${one.full_name}**`).join(' ')));
  expect(await mention(users)).toBe(await mention(users.slice(0, 1)));
});

test('messages sent concurrently are all stored, each once', async () => {
  const ada = await quiet('ada');
  const ben = await chat.user('ben');
  const name = 'busy room';
  await chat.stream(name, { by: ada, members: [ben] });
  await ben.takeEvents();
  const sent = await Promise.all(Array.from({ length: 12 }, () => send(ada, name)));
  const heard = await ben.takeEvents('message');
  expect(heard.map(({ message }) => message.id).sort((a, b) => a - b)).toEqual(
    sent.map(({ id }) => id).sort((a, b) => a - b),
  );
});
