// Moves of so many messages that they take a while: other requests do not wait, and no message is lost.

import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { onPostgres } from '../../../test/database.ts';
import { countLockWaits } from '../../../test/lock-order.ts';
import {
  createRoom,
  discardEvents,
  flagsOf,
  insertMessagesAfter,
  markRead,
  PROTECTED,
  post,
  type Room,
  rowsOf,
  star,
  unreadOf,
} from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

async function createFixture(count: number, kind: object = {}) {
  const ada = await chat.user('ada', { mirrored: false });
  const ben = await chat.user('ben', { mirrored: false });
  const [here, there] = [await createRoom(chat, [ada, ben]), await createRoom(chat, [ada, ben], kind)];
  const ids = await insertMessagesAfter(chat, await post(ada, here), count - 1);
  // Their queues begin here, so that they receive all later events.
  const [both, old] = await chat.users('both', 'old');
  return { ada, ben, both, old, here, there, ids };
}

type Fixture = Awaited<ReturnType<typeof createFixture>>;
const moves = {
  'into another topic': { go: { topic: 'stew' }, target: ({ here }: Fixture) => here, topic: 'stew' },
  'into another stream': { go: {}, target: ({ there }: Fixture) => there, topic: 'soup' },
};
const all = { propagate_mode: 'change_all', send_notification_to_new_thread: false } as const;

function change({ ada, there, ids }: Fixture, how: keyof typeof moves, message_id = ids[0] ?? 0) {
  const to = how === 'into another stream' ? { stream_id: there.id } : moves[how].go;
  return ada.api.updateMessage({ message_id, ...to, ...all });
}

const idsIn = async (person: TestUser, room: Room, topic: string) =>
  (await rowsOf(person, room)).filter(([name]) => name === topic).map(([, id]) => id);

describe.each(Object.keys(moves) as (keyof typeof moves)[])('1,500 messages that move %s', (how) => {
  const { target, topic } = moves[how];

  test('are all moved, each once, in one event', async () => {
    const made = await createFixture(1500);
    const { ada, ids } = made;
    const known = await post(ada, target(made), topic);
    const queue = await ada.api.registerQueue({ event_types: ['update_message'] });
    await change(made, how);
    expect(await idsIn(ada, target(made), topic)).toEqual([...ids, known].toSorted((a, b) => a - b));
    const { events } = await ada.api.getEvents({ ...queue, dont_block: true });
    expect(events.map((event) => 'message_ids' in event && event.message_ids)).toEqual([ids]);
  });

  test('keep the flags of all users', async () => {
    const made = await createFixture(1200, PROTECTED);
    const { ada, ben, ids } = made;
    const known = await post(ada, target(made), topic);
    const [read, marked, starred] = [ids.slice(3, 700), ids.slice(701, 703), ids.slice(650, 652)];
    await markRead(ben, ...read);
    await ben.api.updateMessageFlags({ messages: marked, op: 'add', flag: 'read' });
    await ben.api.updateMessageFlags({ messages: marked, op: 'remove', flag: 'read' });
    await star(ben, ...starred);
    const sample = [0, 3, 650, 701, 1199].map((n) => ids[n] ?? 0);
    const [before, unread] = [await flagsOf(ben, sample), await unreadOf(ben)];
    await change(made, how);
    expect(await flagsOf(ben, sample)).toEqual(before);
    const after = await unreadOf(ben);
    expect(after.map(([, id]) => id).toSorted()).toEqual(unread.map(([, id]) => id).toSorted());
    expect(new Set(after.filter(([, id]) => [...ids, known].includes(id)).map(([name]) => name))).toEqual(
      new Set([`${target(made).id} ${topic}`]),
    );
    const later = await post(ada, target(made), topic);
    expect(await flagsOf(ben, [later])).toEqual([[]]);
  });
});

describe.runIf(onPostgres)('while many messages move', () => {
  /** Begins a move and blocks it at a message near its end; `work` must finish before the move continues. */
  async function meanwhile(made: Fixture, how: keyof typeof moves, work: () => Promise<unknown>): Promise<void> {
    const last = made.ids.at(-1) ?? 0;
    let isOver = false;
    const moving = chat.database.db.transaction(async (tx) => {
      await tx.execute(sql`select from messages where realm_id = ${chat.realm.id} and id = ${last} for update`);
      const begun = change(made, how).finally(() => {
        isOver = true;
      });
      await expect.poll(() => countLockWaits(chat), { interval: 5 }).toBe(1);
      await work();
      expect(isOver).toBe(false);
      return { begun };
    });
    await (await moving).begun;
  }

  test.each(Object.keys(moves) as (keyof typeof moves)[])(
    '%s, others write to both streams, to the old topic and the new one',
    async (how) => {
      const made = await createFixture(5200);
      const { ada, ben, both, old, here, there, ids } = made;
      const { target, topic } = moves[how];
      const known = await post(ada, target(made), topic);
      await ada.api.subscribe({ subscriptions: [{ name: here.name }], principals: [both.id, old.id] });
      await ada.api.subscribe({ subscriptions: [{ name: there.name }], principals: [both.id] });
      await discardEvents(both, old);
      const sent: Record<string, number> = {};
      await meanwhile(made, how, async () => {
        sent.here = await post(ben, here, 'tea');
        sent.there = await post(ben, there, 'tea');
        sent.old = await post(ben, here, 'soup');
        sent.young = await post(ben, target(made), topic);
        await ben.api.markTopicAsRead({ stream_id: here.id, topic_name: 'soup' });
      });
      expect(await idsIn(ada, here, 'tea')).toEqual([sent.here]);
      expect(await idsIn(ada, there, 'tea')).toEqual([sent.there]);
      const expected = [...ids, known, sent.old ?? 0, sent.young ?? 0].toSorted((a, b) => a - b);
      const found = await rows<{ count: number }>(
        chat.database.db,
        sql`select count(*)::int as count from messages m join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
          where m.conversation_id = ${target(made).id} and t.name = ${topic} and m.id = any(${sql.param(expected)}::bigint[])`,
      );
      expect(found).toEqual([{ count: expected.length }]);
    },
  );
});

test('renaming a topic takes as many statements for 2,000 messages as for three', async () => {
  const cost = async (count: number) => {
    const made = await createFixture(count);
    await change(made, 'into another topic');
    const { ada, ids } = made;
    return chat.statements(() => ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: '✔ stew', ...all }));
  };
  const few = await cost(3);
  expect(await cost(2000)).toBe(few);
  expect(few).toBeLessThanOrEqual(40);
});
