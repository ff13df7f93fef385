// The newest unread messages of a user who has more of them than a registration returns. With few messages the limit is
// small, so these tests call the query.
import type { Params } from '@parley/client';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { countReads, repeatMessage } from '../../../test/fixtures/large-organization.ts';
import { listNewestUnread, listUnread, type UnreadGroup } from './queries/list-unread.ts';

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
/** The messages that Ben received, ascending. */
let received: number[] = [];
let streams: number[] = [];

beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  // What mirrors read would be counted.
  [ada, ben] = [await chat.user('ada', { mirrored: false }), await chat.user('ben', { mirrored: false })];
  streams = [];
  for (const name of ['tower', 'river', 'bridge', ...Array.from({ length: 5 }, (_, n) => `hill ${n}`)])
    streams.push(await chat.stream(name, { by: ada, members: [ben] }));
  await ben.api.markAllAsRead();
  // Most of them are in one stream, and each stream has old and new ones.
  for (let n = 0; n < 90; n++) {
    const to = streams[n % 10 === 0 ? 1 : n % 7 === 0 ? 2 : 0] ?? 0;
    received.push(await chat.message({ from: ada, to, topic: `topic ${n % 4}` }));
  }
});
afterAll(() => chat.close());

type Narrow = NonNullable<Params<'getMessages'>['narrow']>;

const idsOf = (groups: readonly UnreadGroup[] | null) => groups?.flatMap(({ ids }) => ids).sort((a, b) => a - b);
const me = () => ({ realm_id: chat.realm.id, id: ben.id });

async function expectNewest(): Promise<void> {
  for (let limit = 1; limit < received.length; limit++) {
    const { groups, more } = await listNewestUnread(chat.database.db, me(), limit);
    expect([idsOf(groups), more], `limit ${limit}`).toEqual([received.slice(-limit), true]);
  }
}

test('the newest unread messages are those of all streams, whichever has the most', async () => {
  await expectNewest();
});

test('they are the newest when some newer ones are read or deleted', async () => {
  const isRead = (_: number, n: number) => n % 9 === 4;
  const isDeleted = (_: number, n: number) => n > 45 && n < 80 && n % 9 !== 4 && n % 3 !== 0;
  await ben.api.updateMessageFlags({ messages: received.filter(isRead), op: 'add', flag: 'read' });
  for (const id of received.filter(isDeleted)) await chat.owner.api.deleteMessage({ message_id: id });
  received = received.filter((id, n) => !isRead(id, n) && !isDeleted(id, n));
  await expectNewest();
});

test('they are the newest when older ones were moved to the end of another stream', async () => {
  const [tower = 0, river = 0, bridge = 0, ...hills] = streams;
  for (let n = 0; n < 66; n++) received.push(await chat.message({ from: ada, to: [river, ...hills][n % 6] ?? 0 }));
  const moves = { 'topic 1': [tower, bridge], 'topic 3': [tower, river], 'topic 2': [bridge, river] } as const;
  for (const [topic, [from, stream_id]] of Object.entries(moves)) {
    const narrow: Narrow = [
      { operator: 'stream', operand: from },
      { operator: 'topic', operand: topic },
    ];
    const { messages } = await chat.owner.api.getMessages({ anchor: 'newest', num_before: 1, num_after: 0, narrow });
    const quietly = { send_notification_to_old_thread: false, send_notification_to_new_thread: false };
    await chat.owner.api.updateMessage({
      ...{ message_id: messages[0]?.id ?? 0, stream_id, propagate_mode: 'change_all' },
      ...quietly,
    });
  }
  await expectNewest();
});

test('all are listed, and nothing older is missing, where the limit is not reached', async () => {
  expect(idsOf(await listUnread(chat.database.db, me(), 1000))).toEqual(received);
  expect(await listUnread(chat.database.db, me(), received.length - 1)).toBeNull();
  const { groups, more } = await listNewestUnread(chat.database.db, me(), received.length);
  expect([idsOf(groups), more]).toEqual([received, false]);
});

test('POST /register returns the newest 50,000 unread messages, and that older ones are missing', async () => {
  const to = await chat.stream('busy', { by: ada, members: [ben] });
  await repeatMessage(chat, await chat.message({ from: ada, to }), 50_000 - 1);
  const { unread_msgs } = await ben.api.registerQueue({ fetch_event_types: ['update_message_flags'] });
  expect(unread_msgs).toMatchObject({ count: 50_000, old_unreads_missing: true, streams: [{ stream_id: to }] });
});

test('its reads depend on the limit, and not on the number of unread messages', async () => {
  for (let n = 0; n < 10; n++) {
    const to = await chat.stream(`meadow ${n}`, { by: ada, members: [ben] });
    await repeatMessage(chat, await chat.message({ from: ada, to }), 2000);
  }
  // Entries of indexes for deleted and moved messages are read as well.
  await chat.database.db.execute(sql`vacuum analyze messages`);
  const limit = 100;
  const before = await countReads(chat);
  const { groups, more } = await listNewestUnread(chat.database.db, me(), limit);
  const after = await countReads(chat);
  expect([idsOf(groups)?.length, more]).toEqual([limit, true]);
  expect((after.get('messages') ?? 0) - (before.get('messages') ?? 0)).toBeLessThan(4 * limit);
});

test('they are found where most of the newest were deleted', async () => {
  const [tower = 0, river = 0] = streams;
  for (let n = 0; n < 20; n++) await chat.message({ from: ada, to: [tower, river][n % 2] ?? 0 });
  const newest = idsOf((await listNewestUnread(chat.database.db, me(), 500)).groups) ?? [];
  const isDeleted = (_: number, n: number) => n < 400 || n % 10 !== 0;
  await chat.database.db.execute(
    sql`delete from messages where realm_id = ${chat.realm.id} and id = any(${`{${newest.filter(isDeleted).join(',')}}`}::bigint[])`,
  );
  const all = idsOf(await listUnread(chat.database.db, me(), 1_000_000)) ?? [];
  for (const limit of [1, 5, 50, 500]) {
    const { groups, more } = await listNewestUnread(chat.database.db, me(), limit);
    expect([idsOf(groups), more], `limit ${limit}`).toEqual([all.slice(-limit), true]);
  }
});

test('a user with nothing unread has no groups', async () => {
  await ben.api.markAllAsRead();
  expect(await listUnread(chat.database.db, me(), 1000)).toEqual([]);
  expect(await listNewestUnread(chat.database.db, me(), 1000)).toEqual({ groups: [], more: false });
});
