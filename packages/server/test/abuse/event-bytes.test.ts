// Events of any size: a response stops at its limit of bytes, and the server reads a bounded part of the log into
// memory.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { getResponseBudget } from '../../src/core/response-size.ts';
import { type Chat, startChat, type TestUser } from '../chat.ts';
import { addEvents, copyMessageEvent, watchLog } from './log.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
});
afterAll(() => chat.close());
beforeEach(async () => {
  ada = await chat.user('ada', { mirrored: false });
});

const ROOM = getResponseBudget('getEvents');
const MIB = 1024 * 1024;
/** Bytes of a response besides its list, and of an event besides its text. */
const ENVELOPE = 1000;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const register = (person: TestUser) =>
  person.api.registerQueue({ event_types: ['realm', 'message'], fetch_event_types: [] });
type Registered = Awaited<ReturnType<typeof register>>;

/** Polls until there are no more events: their ids, the bytes of the largest response, and the number of responses. */
async function follow(person: TestUser, { queue_id, last_event_id }: Registered) {
  const ids: number[] = [];
  let largest = 0;
  const sizes: number[] = [];
  for (;;) {
    const last = ids.at(-1) ?? last_event_id;
    const response = await person.api.getEvents({ queue_id, last_event_id: last, dont_block: true });
    if (response.events.length === 0) return { ids, largest, sizes };
    largest = Math.max(largest, bytesOf(response));
    sizes.push(response.events.length);
    ids.push(...response.events.map(({ id }) => id));
  }
}

const ascending = (ids: readonly number[]) => [...new Set(ids)].sort((one, other) => one - other);

describe('a response of GET /events', () => {
  test('stops at its limit, and the rest comes with the next polls: every event once and in order', async () => {
    const queue = await register(ada);
    await addEvents(chat, 60, { user_id: ada.id, value: 'x'.repeat(400_000) });
    const reads = watchLog(chat);
    const { ids, largest, sizes } = await follow(ada, queue);
    reads.stop();
    expect(ids).toHaveLength(60);
    expect(ids).toEqual(ascending(ids));
    expect(largest).toBeLessThanOrEqual(ROOM + ENVELOPE);
    expect(largest).toBeGreaterThan(ROOM / 2);
    expect(sizes).toEqual([20, 20, 20]);
    expect(reads.largest).toBeLessThan(ROOM + 20 * ENVELOPE);
  });

  test('counts both the HTML and the Markdown of a message, though a queue receives one of them', async () => {
    const queue = await register(ada);
    await chat.message({ from: ada, to: [ada], content: ':a:'.repeat(3000) });
    await copyMessageEvent(chat, 99, 'é'.repeat(66_500));
    const reads = watchLog(chat);
    const { ids, largest } = await follow(ada, queue);
    reads.stop();
    expect(ids).toHaveLength(100);
    expect(largest).toBeLessThanOrEqual(ROOM + ENVELOPE);
    expect(reads.largest).toBeLessThan(ROOM + 100 * ENVELOPE);
  });

  test('has an event that is larger than the limit alone', async () => {
    const queue = await register(ada);
    await addEvents(chat, 2, { user_id: ada.id });
    await addEvents(chat, 1, { user_id: ada.id, value: 'x'.repeat(9 * MIB) });
    await addEvents(chat, 2, { user_id: ada.id });
    expect((await follow(ada, queue)).sizes).toEqual([2, 1, 2]);
  });

  test('counts messages that are read when an event is delivered', async () => {
    const event_types = ['update_message_flags', 'realm'] as const;
    const queue = await ada.api.registerQueue({ event_types, fetch_event_types: [] });
    const first = await manyMessages('kitchen', 20_000);
    await ada.api.updateMessageFlags({ messages: [first], op: 'remove', flag: 'read' });
    for (let n = 0; n < 24; n++) await unreadAll(first, 20_000);
    await addEvents(chat, 20, { user_id: ada.id, value: 'x'.repeat(400_000) });
    const { ids, largest } = await follow(ada, queue);
    expect(ids).toHaveLength(45);
    expect(largest).toBeLessThanOrEqual(ROOM + ENVELOPE);
  });
});

test('events about whole topics are read in pages with at most about half a million messages', async () => {
  const ben = await chat.user('ben', { mirrored: false });
  const queue = await ben.api.registerQueue({ event_types: ['update_message'], fetch_event_types: [] });
  const message_id = await manyMessages('cellar', 2000);
  await ada.api.updateMessage({ message_id, topic: 'renamed', propagate_mode: 'change_all' });
  await copyTopicEvent(399);
  const reads = watchLog(chat);
  expect((await follow(ben, queue)).ids).toEqual([]);
  reads.stop();
  expect(reads.statements).toBe(2);
});

/** Creates a stream with a topic of so many messages; returns the first id. */
async function manyMessages(name: string, count: number): Promise<number> {
  await chat.stream(name, { by: ada });
  const first = await chat.message({ from: ada, to: name });
  await chat.database.db.execute(
    sql`with place as (
          update conversations c set last_seq = c.last_seq + ${count}::int - 1 from messages m
          where m.realm_id = ${chat.realm.id} and m.id = ${first} and c.realm_id = m.realm_id and c.id = m.conversation_id returning c.last_seq
        )
        insert into messages (realm_id, conversation_id, seq, topic_id, sender_id, content, rendered_content, client, sent_at,
          is_me_message, has_link, has_image, has_attachment, stream_wildcard)
        select m.realm_id, m.conversation_id, m.seq + n, m.topic_id, m.sender_id, 'copy', '', 'ParleyTest', m.sent_at,
          false, false, false, false, false
        from place, messages m, generate_series(1, ${count}::int - 1) n where m.realm_id = ${chat.realm.id} and m.id = ${first}`,
  );
  return first;
}

/** Adds copies of the newest event about a whole topic. */
async function copyTopicEvent(count: number): Promise<void> {
  await chat.database.db.execute(
    sql`with clock as (
          update realm_clock set last_event_id = last_event_id + ${count}::int where realm_id = ${chat.realm.id} returning last_event_id
        )
        insert into events (realm_id, id, type, payload, audience, topic_id, bytes, created_at)
        select e.realm_id, clock.last_event_id - ${count}::int + n, e.type, e.payload, e.audience, e.topic_id, e.bytes, e.created_at
        from clock, events e, generate_series(1, ${count}::int) n
        where e.realm_id = ${chat.realm.id} and e.id = (
          select max(id) from events where realm_id = ${chat.realm.id} and topic_id is not null)`,
  );
}

/** Adds an event that its user unread all messages of a conversation, which are read when it is delivered. */
async function unreadAll(first: number, count: number): Promise<void> {
  await chat.database.db.execute(
    sql`with clock as (
          update realm_clock set last_event_id = last_event_id + 1 where realm_id = ${chat.realm.id} returning last_event_id
        )
        insert into events (realm_id, id, type, payload, audience, bytes, created_at)
        select e.realm_id, clock.last_event_id, e.type, e.payload || '{"messages": []}',
          e.audience || jsonb_build_object('asides', jsonb_build_object('numbers', jsonb_build_array(
            jsonb_build_object('conversation_id', m.conversation_id, 'seqs', ${`{[1,${count + 1})}`}::text, 'count', ${count}::int)))), e.bytes, now()
        from clock, messages m, events e
        where m.realm_id = ${chat.realm.id} and m.id = ${first} and e.realm_id = m.realm_id and e.id = (
          select max(id) from events where realm_id = ${chat.realm.id} and type = 'update_message_flags')`,
  );
}

describe('waiting polls', () => {
  async function crowd(count: number): Promise<TestUser[]> {
    const users: TestUser[] = [];
    for (let n = 0; n < count; n++) users.push(await chat.user('fan', { mirrored: false }));
    return users;
  }

  test('of one organization share one read of the log, which stops at a MiB; each reads the rest at once', async () => {
    const users = await crowd(3);
    const queues = await Promise.all(users.map(register));
    const polls = users.map(({ api }, n) => {
      const { queue_id = '', last_event_id = 0 } = queues[n] ?? {};
      return api.getEvents({ queue_id, last_event_id });
    });
    await vi.waitFor(() => expect(chat.app.polls.waiting()).toBe(users.length), 30_000);
    // The polls wait, and nothing else reads the log before they are notified.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const reads = watchLog(chat);
    await addEvents(chat, 12, { value: 'x'.repeat(300_000) });
    chat.app.polls.wake(chat.realm.id);
    const first = await Promise.all(polls);
    expect(reads.statements).toBe(1);
    expect(reads.largest).toBeLessThan(MIB + ENVELOPE * 12);
    for (const [n, { events }] of first.entries()) {
      expect(events).toHaveLength(3);
      const rest = { queue_id: queues[n]?.queue_id ?? '', last_event_id: events.at(-1)?.id ?? 0 };
      expect((await users[n]?.api.getEvents(rest))?.events).toHaveLength(9);
    }
    reads.stop();
  });

  test('that catch up concurrently have the events of four pages in memory, for any number of polls', async () => {
    const users = await crowd(12);
    const queues = await Promise.all(users.map(register));
    await addEvents(chat, 3, { value: 'x'.repeat(300_000) });
    const reads = watchLog(chat);
    let go = () => {};
    reads.hold = new Promise<void>((resolve) => {
      go = resolve;
    });
    const responses = users.map((person, n) => follow(person, queues[n] as Registered));
    await vi.waitFor(() => expect(reads.statements).toBe(4), 10_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(reads.statements).toBe(4);
    reads.hold = undefined;
    go();
    for (const { ids } of await Promise.all(responses)) expect(ids).toHaveLength(3);
    reads.stop();
  });
});

test('the size of an event in the log covers the event as any queue receives it', async () => {
  const ben = await chat.user('ben', { mirrored: false });
  const forms = [
    { apply_markdown: true, client_gravatar: false },
    { apply_markdown: false, client_gravatar: true },
  ];
  const queues = await Promise.all(forms.map((form) => ben.api.registerQueue({ ...form, fetch_event_types: [] })));
  await chat.stream('porch', { by: ada, members: [ben], invite_only: true, history_public_to_subscribers: false });
  const ids: number[] = [];
  for (let n = 0; n < 30; n++)
    ids.push(await chat.message({ from: ada, to: 'porch', content: `\u0001"é @**all** :a: *${n}*`.repeat(20) }));
  const [first = 0, second = 0, last = 0] = [ids[0], ids[1], ids.at(-1)];
  await ada.api.updateMessage({ message_id: first, content: 'much shorter' });
  await ada.api.updateMessage({ message_id: first, topic: 'renamed', propagate_mode: 'change_all' });
  await ada.api.updateMessage({ message_id: last, topic: 'elsewhere', propagate_mode: 'change_one' });
  await ada.api.updateMessage({ message_id: second, topic: 'elsewhere', propagate_mode: 'change_later' });
  await ada.api.addReaction({ message_id: first, emoji_name: 'heart' });
  await chat.owner.api.deleteMessage({ message_id: second }).catch(() => {});
  const stored = await rows<{ id: number; bytes: number }>(
    chat.database.db,
    sql`select id, bytes from events where realm_id = ${chat.realm.id}`,
  );
  const bytes = new Map(stored.map((event) => [event.id, event.bytes]));
  for (const { queue_id, last_event_id } of queues) {
    const { events } = await ben.api.getEvents({ queue_id, last_event_id, dont_block: true });
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['subscription', 'message', 'update_message', 'reaction']),
    );
    for (const event of events) {
      const listed = event.type === 'update_message' ? event.message_ids.length : 0;
      expect(bytesOf(event), event.type).toBeLessThan(
        (bytes.get(Math.floor(event.id / 65_536)) ?? 0) + 200 + 20 * listed,
      );
    }
  }
});
