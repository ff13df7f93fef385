import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const named = (names: readonly string[]) => names.map((name) => ({ name }));
const freshNames = (count: number) => Array.from({ length: count }, () => fresh('bulk'));

/** Users without a mirror: their events are not compared. */
async function crowd(count: number): Promise<number[]> {
  const found = await chat.act(({ db, realm }) =>
    rows<{ id: number }>(
      db,
      sql`insert into users (realm_id, delivery_email, email_key, full_name, role, date_joined)
          select ${realm.id}::bigint, ${made} || '-' || n || '@example.com', ${made++} || '-' || n || '@example.com', 'Eve ' || n, 400, now()
          from generate_series(1, ${count}::int) n returning id`,
    ),
  );
  return found.map(({ id }) => id);
}

test('a request takes the same few statements for any number of streams and of users', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const names = freshNames(200);
  await chat.owner.api.subscribe({ subscriptions: named(names) });
  const joining = (streams: string[], principals: number[]) =>
    chat.statements(() => ada.api.subscribe({ subscriptions: named(streams), principals }));
  const leaving = (streams: string[], principals: number[]) =>
    chat.statements(() => chat.owner.api.unsubscribe({ subscriptions: streams, principals }));

  const two = await joining(names.slice(0, 2), [ada.id]);
  expect(await joining(names.slice(2), [ada.id])).toBe(two);
  expect(two).toBeLessThanOrEqual(15);
  const twoOut = await leaving(names.slice(0, 2), [ada.id]);
  expect(await leaving(names.slice(2), [ada.id])).toBe(twoOut);
  expect(twoOut).toBeLessThanOrEqual(15);

  // The first direct message of the bot to a user creates the conversation.
  const [other = 0, another = 0] = await crowd(2);
  const brought = await joining(names.slice(0, 2), [other]);
  expect(await joining(names, [another])).toBe(brought);
  expect(brought).toBeLessThanOrEqual(15);

  const one = await joining(names.slice(0, 1), await crowd(1));
  const users = await crowd(300);
  expect(await joining(names.slice(0, 1), users)).toBe(one);
  expect(one).toBeLessThanOrEqual(15);
  expect(await leaving(names.slice(0, 1), users)).toBeLessThanOrEqual(15);
});

test('creating streams takes the same few statements for any number', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const creating = (count: number) =>
    chat.statements(() => ada.api.subscribe({ subscriptions: named(freshNames(count)) }));
  const two = await creating(2);
  // Two limits, of the account and of the organization, take a lock and a count each.
  expect(two).toBeLessThanOrEqual(19);
  expect(await creating(200)).toBe(two);
});

test('too many subscriptions in one request fail with the number that is allowed', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const principals = await crowd(51);
  await expectError('BAD_REQUEST', ada.api.subscribe({ subscriptions: named(freshNames(2000)), principals }), /100000/);
});

test('users who concurrently create the same streams get the same streams, in whatever order they name them', async () => {
  const users = await Promise.all(
    ['ada', 'ben', 'cleo', 'dan', 'eve'].map((name) => chat.user(name, { mirrored: false })),
  );
  const names = freshNames(8);
  await Promise.all(
    users.map((person, n) => person.api.subscribe({ subscriptions: named(n % 2 === 0 ? names : names.toReversed()) })),
  );
  const { streams } = await chat.owner.api.getStreams({});
  const ours = streams.filter(({ name }) => names.includes(name));
  expect(ours).toHaveLength(8);
  for (const { stream_id } of ours) {
    expect((await chat.owner.api.getStreamMembers({ stream_id })).subscribers).toEqual(
      users.map(({ id }) => id).sort((a, b) => a - b),
    );
  }
});

test('subscribing, unsubscribing and posting concurrently do not deadlock, and the last request of each user decides', async () => {
  const users = await Promise.all(['ada', 'ben', 'cleo'].map((name) => chat.user(name, { mirrored: false })));
  const names = freshNames(6);
  await chat.owner.api.subscribe({ subscriptions: named(names) });
  const rounds = users.map(async ({ api }, n) => {
    const ordered = n % 2 === 0 ? names : names.toReversed();
    for (let round = 0; round < 4; round++) {
      await api.subscribe({ subscriptions: named(ordered) });
      await api.sendMessage({ type: 'stream', to: ordered[round] ?? '', topic: 'soup', content: 'hi' });
      await api.unsubscribe({ subscriptions: ordered.toReversed() });
    }
    await api.subscribe({ subscriptions: named(ordered) });
  });
  await Promise.all(rounds);
  for (const { api } of users) {
    expect((await api.getSubscriptions({})).subscriptions.map(({ name }) => name)).toEqual([...names].sort());
  }
});
