// The statements of ordinary requests in a small organization. PostgreSQL takes longer to plan a long one than to run it.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from './chat.ts';
import { fillOthers, repeatMessage } from './fixtures/large-organization.ts';

/** PostgreSQL plans a statement this often before it can choose a plan for all parameters. */
const TRIALS = 5;
const REPEATS = TRIALS + 5;
/** The tables and subqueries from which a statement is long. */
const LONG = 6;

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
let stream_id: number;
let message_id: number;
beforeAll(async () => {
  // On the embedded database, which has one connection: prepared statements belong to a connection.
  chat = await startChat({ ownDatabase: true });
  ada = await chat.user('ada', { mirrored: false });
  ben = await chat.user('ben', { mirrored: false });
  stream_id = await chat.stream('kitchen', { by: ada, members: [ben] });
  message_id = await chat.message({ from: ada, to: 'kitchen', topic: 'soup' });
  await repeatMessage(chat, message_id, 5_000);
  await fillOthers(chat, { ada, cleo: ben, busy: stream_id, firstOfBusy: message_id, users: 60, streams: 20 });
  await chat.database.db.execute(sql`vacuum analyze`);
});
afterAll(() => chat.close());

/** How often each long statement was planned, by its text. */
async function countPlans(): Promise<Map<string, number>> {
  const prepared = await rows<{ statement: string; plans: number }>(
    chat.database.db,
    sql`select statement, custom_plans::int as plans from pg_prepared_statements`,
  );
  const long = prepared.filter(({ statement }) => (statement.match(/\b(from|join)\b/g) ?? []).length >= LONG);
  return new Map(long.map(({ statement, plans }) => [statement, plans]));
}

const newest = { anchor: 'newest', num_before: 20, num_after: 0 } as const;

describe('is planned once for each connection, and not for each request, in', () => {
  test.each<[string, (n: number) => Promise<unknown>]>([
    ['registrations', () => ben.api.registerQueue()],
    ['messages to streams', () => ada.api.sendMessage({ type: 'stream', to: stream_id, topic: 'soup', content: 'hi' })],
    ['direct messages', () => ada.api.sendMessage({ type: 'direct', to: [ben.id], content: 'hi' })],
    ['pages of messages', () => ben.api.getMessages(newest)],
    [
      'pages of topics',
      () =>
        ben.api.getMessages({
          ...newest,
          narrow: [
            { operator: 'stream', operand: 'kitchen' },
            { operator: 'topic', operand: 'soup' },
          ],
        }),
    ],
    [
      'pages of unread messages',
      () => ben.api.getMessages({ ...newest, narrow: [{ operator: 'is', operand: 'unread' }] }),
    ],
    ['a message', () => ben.api.getMessage({ message_id })],
    ['edits', (n) => ada.api.updateMessage({ message_id, content: `number ${n}` })],
    ['reactions', (n) => ben.api[n % 2 === 0 ? 'addReaction' : 'removeReaction']({ message_id, emoji_name: 'tada' })],
    ['flags', () => ben.api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'starred' })],
    ['streams that are marked as read', () => ben.api.markStreamAsRead({ stream_id })],
    ['topics that are marked as read', () => ben.api.markTopicAsRead({ stream_id, topic_name: 'soup' })],
    ['policies for topics', () => ben.api.updateUserTopic({ stream_id, topic: 'soup', visibility_policy: 3 })],
    ['lists of streams', () => ben.api.getStreams()],
    ['lists of subscriptions', () => ben.api.getSubscriptions()],
    ['lists of topics', () => ben.api.getStreamTopics({ stream_id })],
    ['lists of users', () => ben.api.getUsers()],
    ['presence', () => ben.api.updatePresence({ status: 'active' })],
    ['typing', () => ben.api.setTyping({ op: 'start', to: [ada.id] })],
    ['settings', (n) => ben.api.updateSettings({ twenty_four_hour_time: n % 2 === 0 })],
    ['subscribing', (n) => ben.api.subscribe({ subscriptions: [{ name: `room ${n}` }] })],
    ['unsubscribing', (n) => ben.api.unsubscribe({ subscriptions: [`room ${n}`] })],
    [
      'topics that begin',
      (n) => ada.api.sendMessage({ type: 'stream', to: stream_id, topic: `tea ${n}`, content: 'hi' }),
    ],
    ['mentions', () => ada.api.sendMessage({ type: 'direct', to: [ben.id], content: `@**${ben.full_name}** hi` })],
    [
      'messages that are marked as unread',
      () => ben.api.updateMessageFlags({ messages: [message_id], op: 'remove', flag: 'read' }),
    ],
    ['everything that is marked as read', () => ben.api.markAllAsRead()],
    [
      'moves',
      async (n) =>
        chat.owner.api.updateMessage({
          message_id: await chat.message({ from: ada, to: 'kitchen', topic: 'soup' }),
          topic: `stew ${n}`,
        }),
    ],
    ['changes of streams', (n) => chat.owner.api.updateStream({ stream_id, description: `number ${n}` })],
    ['statuses', (n) => ben.api.updateStatus({ status_text: `number ${n}` })],
  ])('%s', async (_, request) => {
    const before = await countPlans();
    for (let n = 0; n < REPEATS; n++) await request(n);
    const after = await countPlans();
    const planned = [...after].filter(([text, plans]) => plans - (before.get(text) ?? 0) > TRIALS);
    expect(planned.map(([text, n]) => [n, text.slice(0, 300)])).toEqual([]);
  });
});
