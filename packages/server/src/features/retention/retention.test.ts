import { rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { startSecondProcess } from '../../../test/second-process.ts';
import { createStreamFixture, type StreamFixture, shared } from '../../../test/stream-fixture.ts';
import type { User } from '../../core/context.ts';
import { deleteAllExpiredMessages, deleteExpiredMessages, type ExpiredMessages, listExpired } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterEach(() => chat.owner.api.updateRealm({ message_retention_days: 'unlimited' }));
afterAll(() => chat.close());

type Days = number | 'unlimited' | 'realm_default';

/** Sets how long a stream keeps its messages. */
const keep = async ({ id, discardEvents }: StreamFixture, message_retention_days: Days) => {
  await chat.owner.api.updateStream({ stream_id: id, message_retention_days });
  await discardEvents();
};
const run = () => deleteAllExpiredMessages(chat.app, [chat.realm]);
const later = (days: number) => chat.clock.advance({ days, seconds: 1 });

/** A user with a new queue: the old one expired while days passed. */
async function awake({ id }: TestUser): Promise<TestUser> {
  const [row] = await rows<User>(chat.database.db, sql`select * from users where id = ${id}`);
  return chat.person(row as User, chat.realm, true);
}

/** The ids of a stream's messages that a user can read, without those of the Notification Bot. */
async function seen({ api }: TestUser, stream_id: number): Promise<number[]> {
  const narrow = [['stream', stream_id]] as const;
  const { messages } = await api.getMessages({ anchor: 'newest', num_before: 1000, num_after: 0, narrow });
  return messages.filter(({ subject }) => subject !== 'stream events').map(({ id }) => id);
}

/** The deletions that a user received, without those in `stream events`. */
const deleted = async (person: TestUser) =>
  (await person.takeEvents('delete_message')).filter((event) => event.topic !== 'stream events');

async function fill({ ada, send }: StreamFixture, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const some = Math.min(20, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: some }, () => send(ada)))));
  }
  return ids.sort((one, other) => one - other);
}

describe('messages older than the retention of their stream', () => {
  test('are removed, younger ones stay, and clients receive an event by topic', async () => {
    const room = await createStreamFixture(chat);
    await keep(room, 3);
    const { ada, id: stream_id, send } = room;
    const soup = [await send(ada), await send(room.ben)];
    const bread = await send(ada, 'butter', 'bread');
    later(2);
    const young = await send(ada);
    await run();
    expect(await seen(ada, stream_id)).toEqual([...soup, bread, young]);
    later(1);
    const ben = await awake(room.ben);
    await run();
    const told = { id: expect.any(Number), type: 'delete_message', message_type: 'stream', stream_id };
    expect(await deleted(ben)).toEqual([
      { ...told, message_ids: soup, topic: 'soup' },
      { ...told, message_ids: [bread], topic: 'bread' },
    ]);
    expect(await seen(ben, stream_id)).toEqual([young]);
    const { topics } = await ben.api.getStreamTopics({ stream_id });
    expect(topics.map(({ name, max_id }) => [name, max_id])).toEqual([['soup', young]]);
  });

  test('are removed from archived and private streams, too, and users outside receive nothing', async () => {
    const room = await createStreamFixture(chat, [], shared);
    const { id: stream_id, send } = room;
    await room.ada.api.subscribe({ subscriptions: [{ name: room.name }], principals: [chat.owner.id] });
    await keep(room, 1);
    const sent = await send(room.ada);
    later(1);
    const ada = await awake(room.ada);
    const outsider = await chat.user('cleo');
    await run();
    expect((await deleted(ada)).map(({ message_ids }) => message_ids)).toEqual([[sent]]);
    expect(await outsider.takeEvents()).toEqual([]);
    const last = await send(ada);
    await chat.owner.api.archiveStream({ stream_id });
    later(1);
    await run();
    expect(await rows(chat.database.db, sql`select from messages where id = ${last}`)).toEqual([]);
  });

  test('are removed with their flags, reactions, edits and unread state', async () => {
    const room = await createStreamFixture(chat);
    await keep(room, 1);
    const { ada, ben, send } = room;
    const message_id = await send(ada, `@**${ben.full_name}** hello`);
    await ada.api.updateMessage({ message_id, content: `@**${ben.full_name}** hi` });
    await ben.api.addReaction({ message_id, emoji_name: 'tada' });
    await ben.api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'starred' });
    later(1);
    await run();
    const { unread_msgs, starred_messages } = await ben.api.registerQueue({});
    expect(unread_msgs?.mentions).not.toContain(message_id);
    expect(unread_msgs?.streams.flatMap(({ unread_message_ids }) => unread_message_ids)).not.toContain(message_id);
    expect(starred_messages).not.toContain(message_id);
    const { db } = chat.database;
    for (const table of ['message_flags', 'reactions', 'message_edits'])
      expect(await rows(db, sql`select from ${sql.identifier(table)} where message_id = ${message_id}`)).toEqual([]);
  });

  test('are removed from the stream that they were moved to, by the time they were sent', async () => {
    const from = await createStreamFixture(chat);
    const to = await createStreamFixture(chat);
    await keep(to, 2);
    const { owner } = chat;
    const moved = await from.send(from.ada);
    const stays = await from.send(from.ada, 'hi', 'bread');
    later(1);
    await owner.api.updateMessage({ message_id: moved, stream_id: to.id, send_notification_to_new_thread: false });
    const young = await to.send(to.ada);
    later(1);
    await run();
    expect([await seen(from.ada, from.id), await seen(to.ada, to.id)]).toEqual([[stays], [young]]);
  });
});

describe('the retention', () => {
  // shows: 2.13, 2.14
  test('of a stream takes precedence over that of the organization; “unlimited” keeps all messages of a stream', async () => {
    const rooms = [
      await createStreamFixture(chat),
      await createStreamFixture(chat),
      await createStreamFixture(chat),
      await createStreamFixture(chat),
    ];
    for (const [n, days] of ([5, 'unlimited', 'realm_default', 1] as const).entries())
      await keep(rooms[n] as StreamFixture, days);
    const ids = await Promise.all(rooms.map(({ ada, send }) => send(ada)));
    await chat.owner.api.updateRealm({ message_retention_days: 2 });
    const left = () => Promise.all(rooms.map(({ ada, id }) => seen(ada, id)));
    const [a, b, c, d] = ids.map((id) => [id]);
    for (const [days, expected] of [
      [0, [a, b, c, d]],
      [1, [a, b, c, []]],
      [1, [a, b, [], []]],
      [3, [[], b, [], []]],
      [1000, [[], b, [], []]],
    ] as const) {
      later(days);
      await run();
      expect(await left()).toEqual(expected);
    }
  });

  test('of the organization applies to direct messages', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    const old = await chat.message({ from: ada, to: [ben] });
    const oldest = await chat.message({ from: cleo, to: [ben, ada] });
    later(10);
    const young = await chat.message({ from: ben, to: [ada] });
    const [awakeAda, awakeCleo] = [await awake(ada), await awake(cleo)];
    await run();
    expect(await awakeAda.takeEvents('delete_message')).toEqual([]);
    await chat.owner.api.updateRealm({ message_retention_days: 10 });
    await run();
    const told = { id: expect.any(Number), type: 'delete_message', message_type: 'private' };
    expect(await awakeAda.takeEvents('delete_message')).toEqual([
      { ...told, message_ids: [old] },
      { ...told, message_ids: [oldest] },
    ]);
    expect((await awakeCleo.takeEvents('delete_message')).map(({ message_ids }) => message_ids)).toEqual([[oldest]]);
    const { messages } = await ben.api.getMessages({ anchor: 'newest', num_before: 9, num_after: 0, narrow: [] });
    expect(messages.filter(({ type }) => type === 'private').map(({ id }) => id)).toEqual([young]);
  });

  test('is unlimited by default, and while the organization is deactivated', async () => {
    const room = await createStreamFixture(chat);
    const id = await room.send(room.ada);
    later(10_000);
    await run();
    expect(await seen(room.ada, room.id)).toEqual([id]);
    const { realm, owner } = await chat.otherRealm('sleeping');
    await owner.api.updateRealm({ message_retention_days: 1 });
    const message_id = await chat.message({ from: owner, to: [owner] });
    later(1);
    const close = (at: string | null) =>
      chat.database.db.execute(sql`update realms set deactivated_at = ${at}::timestamptz where id = ${realm.id}`);
    await close('2030-01-01');
    // As if the organization had been deactivated just when the job began with it.
    expect(await deleteExpiredMessages(chat.app, realm, () => {})).toBe(true);
    await close(null);
    expect((await owner.api.getMessage({ message_id })).message.id).toBe(message_id);
    await deleteExpiredMessages(chat.app, realm, () => {});
    await expect(owner.api.getMessage({ message_id })).rejects.toThrow();
  });
});

describe('removing expired messages', () => {
  test('takes batches of a hundred, oldest first, in the same number of statements for any content', async () => {
    const room = await createStreamFixture(chat);
    await keep(room, 'unlimited');
    const ids = await fill(room, 320);
    later(1);
    const { db } = chat.database;
    await db.execute(sql`delete from messages where conversation_id = ${room.id} and id < ${ids[0]}`);
    const ben = await awake(room.ben);
    await db.execute(sql`update streams set message_retention_days = 1 where id = ${room.id}`);
    const batches: number[] = [];
    const statements = await chat.statements(() =>
      deleteExpiredMessages(chat.app, chat.realm, ({ messages }) => void batches.push(messages)),
    );
    expect(batches).toEqual([100, 100, 100, 20]);
    expect((await deleted(ben)).map(({ message_ids }) => message_ids)).toEqual([
      ids.slice(0, 100),
      ids.slice(100, 200),
      ids.slice(200, 300),
      ids.slice(300),
    ]);
    // One check, and for each batch: its messages, locks, settings, the messages again, and the removal.
    expect(statements).toBeLessThanOrEqual(4 * 12 + 2);
  });

  test('stops at the first message that a changed setting keeps', async () => {
    const room = await createStreamFixture(chat);
    const ids = await fill(room, 500);
    await keep(room, 1);
    later(1);
    const ben = await awake(room.ben);
    let told: Promise<unknown> | undefined;
    await deleteExpiredMessages(chat.app, chat.realm, ({ conversation_id }) => {
      if (conversation_id !== room.id) return;
      told ??= chat.owner.api.updateStream({ stream_id: room.id, message_retention_days: 'unlimited' });
    });
    await told;
    const heard = await ben.takeEvents();
    const set = heard.findIndex((event) => event.type === 'stream');
    const gone = heard.flatMap((event) => (event.type === 'delete_message' ? [event] : []));
    expect(heard.slice(set).filter(({ type }) => type === 'delete_message')).toEqual([]);
    const left = await seen(ben, room.id);
    expect([...gone.flatMap(({ message_ids }) => message_ids).filter((id) => ids.includes(id)), ...left]).toEqual(ids);
  });

  test('does not block other requests: messages sent meanwhile are stored and stay', async () => {
    const room = await createStreamFixture(chat);
    await fill(room, 250);
    await keep(room, 1);
    later(1);
    const removing = deleteExpiredMessages(chat.app, chat.realm, () => {});
    const late = [await room.send(room.ada, 'more'), await room.send(room.ben, 'butter', 'bread')];
    await removing;
    expect(await seen(room.ben, room.id)).toEqual(late);
  });

  test('reports when its time is up, and the next run continues there', async () => {
    const room = await createStreamFixture(chat);
    const id = await room.send(room.ada);
    await keep(room, 1);
    later(1);
    expect(await deleteExpiredMessages(chat.app, chat.realm, () => {}, performance.now())).toBe(false);
    expect(await seen(room.ada, room.id)).toEqual([id]);
    expect(await deleteExpiredMessages(chat.app, chat.realm, () => {})).toBe(true);
    expect(await seen(room.ada, room.id)).toEqual([]);
  });

  test('is announced by a dry run, which changes nothing and lists exactly what a run then removes', async () => {
    chat.clock.stop();
    await deleteExpiredMessages(chat.app, chat.realm, () => {});
    const room = await createStreamFixture(chat);
    const other = await createStreamFixture(chat);
    const [ada, ben] = await chat.users('ada', 'ben');
    await keep(other, 5);
    await fill(room, 120);
    await other.send(other.ada);
    await chat.message({ from: ada, to: [ben] });
    later(4);
    await room.send(room.ada);
    const { owner } = chat;
    await owner.api.updateStream({ stream_id: room.id, message_retention_days: 3 });
    await owner.api.updateRealm({ message_retention_days: 4 });
    const listeners = [await awake(ben), await awake(room.ben)];
    const before = await Promise.all([seen(room.ben, room.id), seen(other.ben, other.id)]);
    const announced = await listExpired(chat.app, chat.realm);
    // The notice of its creation, and the messages.
    expect(announced).toContainEqual({
      conversation_id: room.id,
      stream: room.name,
      days: 3,
      messages: 121,
      oldest: expect.any(Number),
    });
    expect(await Promise.all([seen(room.ben, room.id), seen(other.ben, other.id)])).toEqual(before);
    for (const person of listeners) expect(await person.takeEvents()).toEqual([]);
    expect(await listExpired(chat.app, chat.realm)).toEqual(announced);
    const removed = new Map<number, ExpiredMessages>();
    await deleteExpiredMessages(chat.app, chat.realm, (some) => {
      const sum = removed.get(some.conversation_id);
      removed.set(some.conversation_id, { ...some, ...sum, messages: some.messages + (sum?.messages ?? 0) });
    });
    expect([...removed.values()]).toEqual(announced);
    expect(await listExpired(chat.app, chat.realm)).toEqual([]);
  });

  test.runIf(onPostgres)('on two processes at once emits each deletion once', async () => {
    const room = await createStreamFixture(chat);
    const ids = await fill(room, 450);
    await keep(room, 1);
    later(1);
    const ben = await awake(room.ben);
    const second = await startSecondProcess(chat);
    let count = 0;
    const remove = (app: Chat['app']) =>
      deleteExpiredMessages(app, chat.realm, ({ conversation_id, messages }) => {
        if (conversation_id === room.id) count += messages;
      });
    await Promise.all([remove(chat.app), remove(second.app), remove(chat.app)]);
    await second.close();
    const gone = (await deleted(ben)).flatMap(({ message_ids }) => message_ids);
    expect(gone.sort((one, other) => one - other)).toEqual(ids);
    // The notices of the stream's creation and of its setting: the second is younger than a day.
    expect(count).toBeGreaterThanOrEqual(ids.length + 1);
    expect(await seen(room.ben, room.id)).toEqual([]);
  });
});
