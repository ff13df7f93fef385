// A large organization, where most is in one busy stream: what a request about quiet streams reads must not depend on the rest.
// PostgreSQL chooses plans by what it knows of a table as a whole. Where it expects the messages of each stream everywhere, it walks
// through those of the busy one; where it expects more rows than come, it reads a whole table to join a few.
import type { Params } from '@parley/client';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KnownAccounts } from '../src/features/event-log/index.ts';
import { type Chat, startChat, type TestUser } from './chat.ts';
import { countDeliveryReads, countReads, fillOthers, repeatMessage } from './fixtures/large-organization.ts';
import { registrationsByType } from './fixtures/registrations.ts';

/** More unread messages than are looked at one by one. */
const BUSY = 21_000;
/** So few that all are looked at, and more than are on a page. */
const FEW_UNREAD = 1000;
const USERS = 3000;
const STREAMS = 5000;
/** Rows of a table that a request reads. The quiet stream and the direct conversation have a few messages each, which are read for several reasons. */
const MOST = 300;

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
/** Has not read the newest messages of the busy stream. */
let dan: TestUser;
/** Has read all messages. */
let cleo: TestUser;
let quiet: number;
let empty: number;
let busy: number;
let firstOfBusy: number;
let ids: number[];
let rare: number[];
const topics: { name: string; message_id: number }[] = [];
let made = 0;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  ada = await chat.user('ada', { mirrored: false });
  ben = await chat.user('ben', { mirrored: false });
  dan = await chat.user('dan', { mirrored: false });
  cleo = await chat.user('cleo', { mirrored: false });
  quiet = await chat.stream('quiet', { by: ada, members: [ben, cleo] });
  empty = await chat.stream('empty', { by: ada, members: [ben, cleo] });
  busy = await chat.stream('busy', { by: ada, members: [ben, cleo, dan] });
  const oldest = { anchor: 'oldest', num_before: 0, num_after: 1 } as const;
  const { messages } = await ben.api.getMessages({ ...oldest, narrow: narrowed('stream', busy) });
  firstOfBusy = messages[0]?.id ?? 0;
  ids = [];
  for (let n = 0; n < 10; n++) {
    ids.push(await chat.message({ from: ada, to: 'quiet' }));
    const name = `topic ${n}`;
    topics.push({ name, message_id: await chat.message({ from: ada, to: 'quiet', topic: name }) });
    await chat.message({ from: ada, to: [ben] });
  }
  rare = [
    await chat.message({ from: ada, to: 'quiet', content: 'A rare bird' }),
    await chat.message({ from: ada, to: 'quiet', topic: 'Rare stamps' }),
  ];
  await repeatMessage(chat, await chat.message({ from: ada, to: 'busy' }), BUSY);
  await fillOthers(chat, { ada, cleo, busy, firstOfBusy, users: USERS, streams: STREAMS });
  await chat.owner.api.addDefaultStream({ stream_id: quiet });
  await cleo.api.markAllAsRead();
  await dan.api.markAllAsRead();
  const newest = { anchor: 'newest', num_before: FEW_UNREAD, num_after: 0, narrow: [] } as const;
  await dan.api.updateMessageFlagsForNarrow({ ...newest, op: 'remove', flag: 'read' });
  await chat.database.db.execute(sql`vacuum analyze`);
});
afterAll(() => chat.close());

type Narrow = NonNullable<Params<'getMessages'>['narrow']>;
type Term = Extract<Narrow[number], { operator: string }>;

const narrowed = (operator: Term['operator'], operand: Term['operand']): Narrow => [{ operator, operand } as Term];
const page = { num_before: 20, num_after: 20 } as const;
const inQuiet = () => narrowed('stream', quiet);
const inTopic = () => [...inQuiet(), ...narrowed('topic', 'soup')];

const operations: Record<string, () => Promise<unknown>> = {
  'POST /register': () => cleo.api.registerQueue({}),
  ...registrationsByType(() => cleo),
  'GET /messages of a stream, newest': () => ben.api.getMessages({ anchor: 'newest', ...page, narrow: inQuiet() }),
  'GET /messages of a stream, oldest': () => ben.api.getMessages({ anchor: 'oldest', ...page, narrow: inQuiet() }),
  'GET /messages of a stream, first unread': () =>
    ben.api.getMessages({ anchor: 'first_unread', ...page, narrow: inQuiet() }),
  'GET /messages of a stream, by id': () => ben.api.getMessages({ anchor: ids[5] ?? 0, ...page, narrow: inQuiet() }),
  'GET /messages of an empty stream': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('stream', empty) }),
  'GET /messages of a topic, newest': () => ben.api.getMessages({ anchor: 'newest', ...page, narrow: inTopic() }),
  'GET /messages of a topic, first unread': () =>
    ben.api.getMessages({ anchor: 'first_unread', ...page, narrow: inTopic() }),
  'GET /messages of a direct conversation': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('dm', [ada.id]) }),
  'GET /messages of a sender in a stream': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: [...inQuiet(), ...narrowed('sender', ada.id)] }),
  'GET /messages of a search in a stream': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: [...inQuiet(), ...narrowed('search', 'hello')] }),
  'GET /messages of a search for a word of no message': async () => {
    const { messages } = await ben.api.getMessages({
      anchor: 'newest',
      ...page,
      narrow: narrowed('search', 'xylophone'),
    });
    expect(messages).toEqual([]);
  },
  'GET /messages that are unread with a word of no message': async () => {
    const narrow = [...narrowed('search', 'xylophone'), ...narrowed('is', 'unread')];
    expect((await ben.api.getMessages({ anchor: 'first_unread', ...page, narrow })).messages).toEqual([]);
  },
  'GET /messages of a search for a rare word': async () => {
    const { messages } = await ben.api.getMessages({ anchor: 'oldest', ...page, narrow: narrowed('search', 'rare') });
    expect(messages.map(({ id }) => id)).toEqual(rare);
  },
  'GET /messages of the busy stream, first unread': async () => {
    const params = { anchor: 'first_unread', ...page, narrow: narrowed('stream', busy) } as const;
    expect((await ben.api.getMessages(params)).anchor).toBe(firstOfBusy);
  },
  'GET /messages of the busy stream, by id': () =>
    ben.api.getMessages({ anchor: firstOfBusy + BUSY / 2, ...page, narrow: narrowed('stream', busy) }),
  'GET /messages of the busy topic, by id': () =>
    ben.api.getMessages({
      anchor: firstOfBusy + BUSY / 2,
      ...{ ...page, narrow: [...narrowed('stream', busy), ...narrowed('topic', 'soup')] },
    }),
  'GET /messages that are unread': async () => {
    const { messages } = await ben.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('is', 'unread') });
    const all = await ben.api.getMessages({ anchor: 'newest', num_before: 60, num_after: 0 });
    const unread = all.messages.filter(({ flags }) => !flags?.includes('read'));
    expect(messages.map(({ id }) => id)).toEqual(unread.slice(-20).map(({ id }) => id));
  },
  'GET /messages of a few that are unread': async () => {
    const { messages } = await dan.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('is', 'unread') });
    expect(messages).toHaveLength(page.num_before);
  },
  'GET /messages that mention the user': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('is', 'mentioned') }),
  'GET /messages that are starred': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('is', 'starred') }),
  'GET /messages with an alert word': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('is', 'alerted') }),
  'GET /messages that are direct': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('is', 'dm') }),
  'GET /messages with a user in direct conversations': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('dm-including', ada.id) }),
  'GET /messages of a topic in any stream': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('topic', 'topic 1') }),
  'GET /messages with an attachment': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: narrowed('has', 'attachment') }),
  'GET /messages with a link': () =>
    ben.api.getMessages({ anchor: 'newest', ...page, narrow: [...inQuiet(), ...narrowed('has', 'link')] }),
  'GET /users/me/{stream_id}/topics': () => ben.api.getStreamTopics({ stream_id: quiet }),
  'POST /messages': () => chat.message({ from: ada, to: 'quiet' }),
  'POST /messages, direct': () => chat.message({ from: ada, to: [ben] }),
  'POST /messages/flags': () => ben.api.updateMessageFlags({ messages: ids, op: 'add', flag: 'starred' }),
  'POST /messages/flags/narrow': () =>
    ben.api.updateMessageFlagsForNarrow({
      anchor: 'newest',
      ...page,
      narrow: inQuiet(),
      op: 'add',
      flag: 'read',
    }),
  'POST /mark_topic_as_read': () => ben.api.markTopicAsRead({ stream_id: quiet, topic_name: 'soup' }),
  'POST /mark_stream_as_read': () => ben.api.markStreamAsRead({ stream_id: quiet }),
  'POST /users/me/subscriptions': () => ben.api.subscribe({ subscriptions: [{ name: 'quiet' }] }),
  'PATCH /messages/{message_id}': () => ada.api.updateMessage({ message_id: ids[0] ?? 0, content: `hello ${made++}` }),
  'PATCH /messages/{message_id} that moves it': () =>
    ada.api.updateMessage({ message_id: ids.pop() ?? 0, topic: 'bread', propagate_mode: 'change_one' }),
  'PATCH /messages/{message_id} that moves its topic': async () => {
    const message_id = topics.pop()?.message_id ?? 0;
    await ada.api.updateMessage({ message_id, topic: `bread ${made++}`, propagate_mode: 'change_all' });
  },
  'DELETE /messages/{message_id}': () => chat.owner.api.deleteMessage({ message_id: ids.pop() ?? 0 }),
  'POST /streams/{stream_id}/delete_topic': () =>
    chat.owner.api.deleteTopic({ stream_id: quiet, topic_name: topics.pop()?.name ?? '' }),
  'POST /messages/{message_id}/reactions': async () => {
    const emoji = { message_id: ids[1] ?? 0, emoji_name: 'heart' };
    await ben.api.addReaction(emoji);
    await ben.api.removeReaction(emoji);
  },
  'GET /messages/{message_id}': () => ben.api.getMessage({ message_id: ids[1] ?? 0 }),
  'GET /messages/{message_id}/history': () => ben.api.getMessageHistory({ message_id: ids[0] ?? 0 }),
  'POST /typing': () => ben.api.setTyping({ type: 'stream', op: 'start', stream_id: quiet, topic: 'soup' }),
  'POST /users/me/presence': () => ben.api.updatePresence({ status: 'active' }),
  'GET /users/me': () => ben.api.getOwnUser(),
  'GET /users/{user_id}': () => ben.api.getUser({ user_id: ada.id }),
  'GET /users/me/subscriptions': () => ben.api.getSubscriptions(),
  'PATCH /users/me/subscriptions': () => ben.api.updateSubscriptions({ delete: ['empty'], add: [{ name: 'empty' }] }),
  'POST /user_topics': () => ben.api.updateUserTopic({ stream_id: quiet, topic: 'soup', visibility_policy: 3 }),
  'PATCH /streams/{stream_id}': () => chat.owner.api.updateStream({ stream_id: quiet, description: `Soup ${made++}` }),
  'POST /drafts': () =>
    ben.api.createDrafts({ drafts: [{ type: 'stream', to: [quiet], topic: 'soup', content: 'Soup?' }] }),
  'POST /scheduled_messages': () =>
    ben.api.scheduleMessage({
      ...{ type: 'stream', to: quiet, topic: 'soup', content: 'Soup?' },
      scheduled_delivery_timestamp: Math.ceil(Date.now() / 1000) + 3600,
    }),
  'POST /users/me/status': () => ben.api.updateStatus({ status_text: `at lunch ${made++}` }),
  'POST /users/me/alert_words': () => ben.api.addAlertWords({ alert_words: [`soup ${made++}`] }),
  'PATCH /settings': () => ben.api.updateSettings({ full_name: `Ben ${made++}` }),
  'POST /users/me/muted_users/{user_id}': async () => {
    await ben.api.muteUser({ user_id: ada.id });
    await ben.api.unmuteUser({ user_id: ada.id });
  },
  'GET /events': async () => {
    const { queue_id, last_event_id } = await ben.api.registerQueue({ fetch_event_types: [] });
    await chat.message({ from: ada, to: 'quiet' });
    await ben.api.getEvents({ queue_id, last_event_id });
  },
  'a new user who gets the history of default streams': () => chat.user('dora', { mirrored: false }),
};

/** What a response is made of, or a change is about, and so has to be read. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'POST /register': ['users', 'streams', 'user_status', 'user_presence'],
  'POST /register for presence': ['users', 'user_presence'],
  'GET /messages of the busy stream, first unread': ['reactions', 'users'],
  'GET /messages of a few that are unread': ['messages'],
  'POST /users/me/presence': ['users', 'user_presence'],
  'a new user who gets the history of default streams': ['streams', 'conversations'],
};

const testAll = () =>
  test.each(Object.entries(operations))('%s reads few rows', async (name, call) => {
    await call();
    const before = await countReads(chat);
    await call();
    const read = [...(await countReads(chat))].map(
      ([table, count]) => [table, count - (before.get(table) ?? 0)] as const,
    );
    expect(read.filter(([table, count]) => count > MOST && !needed[name]?.includes(table))).toEqual([]);
  });

type WithEvent = readonly [name: string, act: () => Promise<unknown>];
const withEvents: readonly WithEvent[] = [
  ['a message', () => chat.message({ from: ada, to: 'quiet' })],
  [
    'a reaction',
    async () => {
      const message_id = await chat.message({ from: ada, to: 'quiet' });
      await ben.api.addReaction({ message_id, emoji_name: 'heart' });
    },
  ],
  [
    'an edit',
    async () => {
      const message_id = await chat.message({ from: ada, to: 'quiet' });
      await ada.api.updateMessage({ message_id, content: `hello ${made++}` });
    },
  ],
  [
    'a move',
    async () => {
      const message_id = await chat.message({ from: ada, to: 'quiet' });
      await ada.api.updateMessage({ message_id, topic: `bread ${made++}`, propagate_mode: 'change_one' });
    },
  ],
  [
    'a deletion',
    async () => chat.owner.api.deleteMessage({ message_id: await chat.message({ from: ada, to: 'quiet' }) }),
  ],
];

const accounts = new KnownAccounts();
const countReadsOfDelivery = (act: WithEvent[1]) => countDeliveryReads(chat, accounts, act);

const testDeliveries = () =>
  test.each(withEvents)('the recipients of %s are found by few rows, however many users wait', async (_name, act) => {
    await countReadsOfDelivery(act);
    const read = await countReadsOfDelivery(act);
    expect([...read].filter(([, count]) => count > MOST)).toEqual([]);
  });

test('the members of a stream are read once for all its messages, if many users wait', async () => {
  const act = async () => {
    for (let n = 0; n < 5; n++) await chat.message({ from: ada, to: 'busy' });
  };
  await countReadsOfDelivery(act);
  expect((await countReadsOfDelivery(act)).get('memberships')).toBeLessThan(2 * USERS);
});

describe('with statistics of all streams', () => {
  testAll();
  testDeliveries();
});

describe('with statistics of a sample that has only the busy stream', () => {
  beforeAll(async () => {
    const { db } = chat.database;
    // A sample that is too small for the quiet stream.
    await db.execute(
      sql`alter table messages alter column conversation_id set statistics 1, alter column topic_id set statistics 1`,
    );
    await db.execute(sql`analyze messages`);
  });
  testAll();
  testDeliveries();
});
