import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import {
  advanceDays,
  deleteExpired,
  listReadable,
  registerAgain,
  setRetention,
  takeDeletions,
} from '../../../test/fixtures/retention.ts';
import { createStreamFixture, type StreamFixture, shared } from '../../../test/stream-fixture.ts';
import { deleteExpiredMessages } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterEach(() => chat.owner.api.updateRealm({ message_retention_days: 'unlimited' }));
afterAll(() => chat.close());

describe('messages older than the retention of their stream', () => {
  test('are removed, younger ones stay, and clients receive an event by topic', async () => {
    const room = await createStreamFixture(chat);
    await setRetention(chat, room, 3);
    const { ada, id: stream_id, send } = room;
    const soup = [await send(ada), await send(room.ben)];
    const bread = await send(ada, 'butter', 'bread');
    advanceDays(chat, 2);
    const young = await send(ada);
    await deleteExpired(chat);
    expect(await listReadable(ada, stream_id)).toEqual([...soup, bread, young]);
    advanceDays(chat, 1);
    const ben = await registerAgain(chat, room.ben);
    await deleteExpired(chat);
    const event = { id: expect.any(Number), type: 'delete_message', message_type: 'stream', stream_id };
    expect(await takeDeletions(ben)).toEqual([
      { ...event, message_ids: soup, topic: 'soup' },
      { ...event, message_ids: [bread], topic: 'bread' },
    ]);
    expect(await listReadable(ben, stream_id)).toEqual([young]);
    const { topics } = await ben.api.getStreamTopics({ stream_id });
    expect(topics.map(({ name, max_id }) => [name, max_id])).toEqual([['soup', young]]);
  });

  test('are removed from archived and private streams, too, and users outside receive nothing', async () => {
    const room = await createStreamFixture(chat, [], shared);
    const { id: stream_id, send } = room;
    await room.ada.api.subscribe({ subscriptions: [{ name: room.name }], principals: [chat.owner.id] });
    await setRetention(chat, room, 1);
    const sent = await send(room.ada);
    advanceDays(chat, 1);
    const ada = await registerAgain(chat, room.ada);
    const outsider = await chat.user('cleo');
    await deleteExpired(chat);
    expect((await takeDeletions(ada)).map(({ message_ids }) => message_ids)).toEqual([[sent]]);
    expect(await outsider.takeEvents()).toEqual([]);
    const last = await send(ada);
    await chat.owner.api.archiveStream({ stream_id });
    advanceDays(chat, 1);
    await deleteExpired(chat);
    expect(await rows(chat.database.db, sql`select from messages where id = ${last}`)).toEqual([]);
  });

  test('are removed with their flags, reactions, edits and unread state', async () => {
    const room = await createStreamFixture(chat);
    await setRetention(chat, room, 1);
    const { ada, ben, send } = room;
    const message_id = await send(ada, `@**${ben.full_name}** hello`);
    await ada.api.updateMessage({ message_id, content: `@**${ben.full_name}** hi` });
    await ben.api.addReaction({ message_id, emoji_name: 'tada' });
    await ben.api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'starred' });
    advanceDays(chat, 1);
    await deleteExpired(chat);
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
    await setRetention(chat, to, 2);
    const { owner } = chat;
    const moved = await from.send(from.ada);
    const stays = await from.send(from.ada, 'hi', 'bread');
    advanceDays(chat, 1);
    await owner.api.updateMessage({ message_id: moved, stream_id: to.id, send_notification_to_new_thread: false });
    const young = await to.send(to.ada);
    advanceDays(chat, 1);
    await deleteExpired(chat);
    expect([await listReadable(from.ada, from.id), await listReadable(to.ada, to.id)]).toEqual([[stays], [young]]);
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
      await setRetention(chat, rooms[n] as StreamFixture, days);
    const ids = await Promise.all(rooms.map(({ ada, send }) => send(ada)));
    await chat.owner.api.updateRealm({ message_retention_days: 2 });
    const left = () => Promise.all(rooms.map(({ ada, id }) => listReadable(ada, id)));
    const [a, b, c, d] = ids.map((id) => [id]);
    for (const [days, expected] of [
      [0, [a, b, c, d]],
      [1, [a, b, c, []]],
      [1, [a, b, [], []]],
      [3, [[], b, [], []]],
      [1000, [[], b, [], []]],
    ] as const) {
      advanceDays(chat, days);
      await deleteExpired(chat);
      expect(await left()).toEqual(expected);
    }
  });

  test('of the organization applies to direct messages', async () => {
    const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
    const old = await chat.message({ from: ada, to: [ben] });
    const oldest = await chat.message({ from: cleo, to: [ben, ada] });
    advanceDays(chat, 10);
    const young = await chat.message({ from: ben, to: [ada] });
    const [awakeAda, awakeCleo] = [await registerAgain(chat, ada), await registerAgain(chat, cleo)];
    await deleteExpired(chat);
    expect(await awakeAda.takeEvents('delete_message')).toEqual([]);
    await chat.owner.api.updateRealm({ message_retention_days: 10 });
    await deleteExpired(chat);
    const event = { id: expect.any(Number), type: 'delete_message', message_type: 'private' };
    expect(await awakeAda.takeEvents('delete_message')).toEqual([
      { ...event, message_ids: [old] },
      { ...event, message_ids: [oldest] },
    ]);
    expect((await awakeCleo.takeEvents('delete_message')).map(({ message_ids }) => message_ids)).toEqual([[oldest]]);
    const { messages } = await ben.api.getMessages({ anchor: 'newest', num_before: 9, num_after: 0, narrow: [] });
    expect(messages.filter(({ type }) => type === 'private').map(({ id }) => id)).toEqual([young]);
  });

  test('is unlimited by default, and while the organization is deactivated', async () => {
    const room = await createStreamFixture(chat);
    const id = await room.send(room.ada);
    advanceDays(chat, 10_000);
    await deleteExpired(chat);
    expect(await listReadable(room.ada, room.id)).toEqual([id]);
    const { realm, owner } = await chat.otherRealm('sleeping');
    await owner.api.updateRealm({ message_retention_days: 1 });
    const message_id = await chat.message({ from: owner, to: [owner] });
    advanceDays(chat, 1);
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
