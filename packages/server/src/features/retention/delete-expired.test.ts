import { sql } from '@parley/db/sql';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import {
  advanceDays,
  listReadable,
  registerAgain,
  sendMany,
  setRetention,
  takeDeletions,
} from '../../../test/fixtures/retention.ts';
import { startSecondProcess } from '../../../test/second-process.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';
import { deleteExpiredMessages, type ExpiredMessages, listExpired } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterEach(() => chat.owner.api.updateRealm({ message_retention_days: 'unlimited' }));
afterAll(() => chat.close());

describe('removing expired messages', () => {
  test('takes batches of a hundred, oldest first, in the same number of statements for any content', async () => {
    const room = await createStreamFixture(chat);
    await setRetention(chat, room, 'unlimited');
    const ids = await sendMany(room, 320);
    advanceDays(chat, 1);
    const { db } = chat.database;
    await db.execute(sql`delete from messages where conversation_id = ${room.id} and id < ${ids[0]}`);
    const ben = await registerAgain(chat, room.ben);
    await db.execute(sql`update streams set message_retention_days = 1 where id = ${room.id}`);
    const batches: number[] = [];
    const statements = await chat.statements(() =>
      deleteExpiredMessages(chat.app, chat.realm, ({ messages }) => void batches.push(messages)),
    );
    expect(batches).toEqual([100, 100, 100, 20]);
    expect((await takeDeletions(ben)).map(({ message_ids }) => message_ids)).toEqual([
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
    const ids = await sendMany(room, 500);
    await setRetention(chat, room, 1);
    advanceDays(chat, 1);
    const ben = await registerAgain(chat, room.ben);
    let changed: Promise<unknown> | undefined;
    await deleteExpiredMessages(chat.app, chat.realm, ({ conversation_id }) => {
      if (conversation_id !== room.id) return;
      changed ??= chat.owner.api.updateStream({ stream_id: room.id, message_retention_days: 'unlimited' });
    });
    await changed;
    const heard = await ben.takeEvents();
    const set = heard.findIndex((event) => event.type === 'stream');
    const deletions = heard.flatMap((event) => (event.type === 'delete_message' ? [event] : []));
    expect(heard.slice(set).filter(({ type }) => type === 'delete_message')).toEqual([]);
    const left = await listReadable(ben, room.id);
    expect([...deletions.flatMap(({ message_ids }) => message_ids).filter((id) => ids.includes(id)), ...left]).toEqual(
      ids,
    );
  });

  test('does not block other requests: messages sent meanwhile are stored and stay', async () => {
    const room = await createStreamFixture(chat);
    await sendMany(room, 250);
    await setRetention(chat, room, 1);
    advanceDays(chat, 1);
    const removing = deleteExpiredMessages(chat.app, chat.realm, () => {});
    const late = [await room.send(room.ada, 'more'), await room.send(room.ben, 'butter', 'bread')];
    await removing;
    expect(await listReadable(room.ben, room.id)).toEqual(late);
  });

  test('reports when its time is up, and the next run continues there', async () => {
    const room = await createStreamFixture(chat);
    const id = await room.send(room.ada);
    await setRetention(chat, room, 1);
    advanceDays(chat, 1);
    expect(await deleteExpiredMessages(chat.app, chat.realm, () => {}, performance.now())).toBe(false);
    expect(await listReadable(room.ada, room.id)).toEqual([id]);
    expect(await deleteExpiredMessages(chat.app, chat.realm, () => {})).toBe(true);
    expect(await listReadable(room.ada, room.id)).toEqual([]);
  });

  test('is announced by a dry run, which changes nothing and lists exactly what a run then removes', async () => {
    chat.clock.stop();
    await deleteExpiredMessages(chat.app, chat.realm, () => {});
    const room = await createStreamFixture(chat);
    const other = await createStreamFixture(chat);
    const [ada, ben] = await chat.users('ada', 'ben');
    await setRetention(chat, other, 5);
    await sendMany(room, 120);
    await other.send(other.ada);
    await chat.message({ from: ada, to: [ben] });
    advanceDays(chat, 4);
    await room.send(room.ada);
    const { owner } = chat;
    await owner.api.updateStream({ stream_id: room.id, message_retention_days: 3 });
    await owner.api.updateRealm({ message_retention_days: 4 });
    const listeners = [await registerAgain(chat, ben), await registerAgain(chat, room.ben)];
    const before = await Promise.all([listReadable(room.ben, room.id), listReadable(other.ben, other.id)]);
    const announced = await listExpired(chat.app, chat.realm);
    // The notice of its creation, and the messages.
    expect(announced).toContainEqual({
      conversation_id: room.id,
      stream: room.name,
      days: 3,
      messages: 121,
      oldest: expect.any(Number),
    });
    expect(await Promise.all([listReadable(room.ben, room.id), listReadable(other.ben, other.id)])).toEqual(before);
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
    const ids = await sendMany(room, 450);
    await setRetention(chat, room, 1);
    advanceDays(chat, 1);
    const ben = await registerAgain(chat, room.ben);
    const second = await startSecondProcess(chat);
    let count = 0;
    const remove = (app: Chat['app']) =>
      deleteExpiredMessages(app, chat.realm, ({ conversation_id, messages }) => {
        if (conversation_id === room.id) count += messages;
      });
    await Promise.all([remove(chat.app), remove(second.app), remove(chat.app)]);
    await second.close();
    const deletedIds = (await takeDeletions(ben)).flatMap(({ message_ids }) => message_ids);
    expect(deletedIds.sort((one, other) => one - other)).toEqual(ids);
    // The notices of the stream's creation and of its setting: the second is younger than a day.
    expect(count).toBeGreaterThanOrEqual(ids.length + 1);
    expect(await listReadable(room.ben, room.id)).toEqual([]);
  });
});
