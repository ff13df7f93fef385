// A move concurrent with another request: whichever commits first, the result is as if they had run in turn.
import { ParleyError } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { runInLockOrder } from '../../../test/lock-order.ts';
import {
  addMembers,
  createRoom,
  discardEvents,
  PROTECTED,
  post,
  postSeveral,
  type Room,
  rowsOf,
  SHARED,
  star,
} from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

interface Fixture {
  ada: TestUser;
  ben: TestUser;
  old: TestUser;
  young: TestUser;
  here: Room;
  there: Room;
  ids: number[];
}

async function createFixture(kind: object): Promise<Fixture> {
  const ada = await chat.user('ada', { mirrored: false });
  const [ben, old, young] = await chat.users('ben', 'old', 'young');
  const here = await createRoom(chat, [ada, ben, old, chat.owner]);
  const there = await createRoom(chat, [ada, ben, young, chat.owner], kind);
  const ids = await postSeveral([ada, ben, old], here, 3);
  // Their newest message stays: no event gives users who left another newest message.
  await chat.message({ from: ada, to: [ben, old, young] });
  await discardEvents(ben, old, young);
  return { ada, ben, old, young, here, there, ids };
}

type Act = (scene: Fixture) => Promise<unknown>;
const move: Act = ({ ada, there, ids }) =>
  ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id, propagate_mode: 'change_all' });
const rename = ({ ada, ids }: Pick<Fixture, 'ada' | 'ids'>) =>
  ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'stew', propagate_mode: 'change_all' });
const takeOne: Act = ({ ben, ids }) => ben.api.updateMessage({ message_id: ids[1] ?? 0, topic: 'tea' });
const leave =
  (who: 'ada' | 'ben' | 'old', where: 'here' | 'there'): Act =>
  (made) =>
    chat.owner.api.unsubscribe({ subscriptions: [made[where].name], principals: [made[who].id] });
const flag =
  (who: 'ben' | 'old' | 'young', op: 'add' | 'remove', name: 'read' | 'starred' | 'collapsed'): Act =>
  (made) =>
    made[who].api.updateMessageFlags({ messages: [made.ids[1] ?? 0], op, flag: name });

/** Requests concurrent with a move, and whether the move succeeds after them. */
const others: [string, Act, 'goes on' | 'is refused'][] = [
  ['the mover leaving the new stream', leave('ada', 'there'), 'is refused'],
  [
    'the new stream closing to the mover',
    ({ there }) => chat.owner.api.updateStream({ stream_id: there.id, stream_post_policy: 2 }),
    'is refused',
  ],
  ['the new stream being archived', ({ there }) => chat.owner.api.archiveStream({ stream_id: there.id }), 'is refused'],
  ['the old stream being archived', ({ here }) => chat.owner.api.archiveStream({ stream_id: here.id }), 'is refused'],
  ['the message being deleted', ({ ids }) => chat.owner.api.deleteMessage({ message_id: ids[0] ?? 0 }), 'is refused'],
  ['a user leaving the new stream', leave('ben', 'there'), 'goes on'],
  ['a user leaving the old stream', leave('old', 'here'), 'goes on'],
  ['a user joining the new stream', ({ old, there }) => addMembers(chat.owner, there, old), 'goes on'],
  ['a user joining the old stream', ({ young, here }) => addMembers(chat.owner, here, young), 'goes on'],
  ['a message to the topic', ({ ben, here }) => post(ben, here), 'goes on'],
  ['a message to the topic of that name there', ({ ben, there }) => post(ben, there), 'goes on'],
  ['a message to another topic there', ({ ben, there }) => post(ben, there, 'tea'), 'goes on'],
  ['a star', flag('ben', 'add', 'starred'), 'goes on'],
  ['a star by a user of the old stream only', flag('old', 'add', 'starred'), 'goes on'],
  ['a star by a user of the new stream only', flag('young', 'add', 'starred'), 'goes on'],
  ['reading', flag('ben', 'add', 'read'), 'goes on'],
  ['reading by a user of the old stream only', flag('old', 'add', 'read'), 'goes on'],
  ['marking as unread', flag('old', 'remove', 'read'), 'goes on'],
  ['reading everything', ({ ben }) => ben.api.markAllAsRead(), 'goes on'],
  [
    'reading the topic',
    ({ ben, here }) => ben.api.markTopicAsRead({ stream_id: here.id, topic_name: 'soup' }),
    'goes on',
  ],
  ['a reaction', ({ ben, ids }) => ben.api.addReaction({ message_id: ids[1] ?? 0, emoji_name: 'tada' }), 'goes on'],
  ['an edit', ({ ben, ids }) => ben.api.updateMessage({ message_id: ids[1] ?? 0, content: 'leek' }), 'goes on'],
  ['a new name of the topic', rename, 'goes on'],
  ['a move of one message out of the topic', takeOne, 'goes on'],
  [
    'the same move',
    ({ ben, there, ids }) =>
      ben.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id, propagate_mode: 'change_all' }),
    'goes on',
  ],
  [
    'a policy for the topic',
    ({ ben, here }) => ben.api.updateUserTopic({ stream_id: here.id, topic: 'soup', visibility_policy: 3 }),
    'goes on',
  ],
  [
    'the deletion of the topic',
    ({ here }) => chat.owner.api.deleteTopic({ stream_id: here.id, topic_name: 'soup' }),
    'is refused',
  ],
];

const outcome = (result: PromiseSettledResult<unknown>): string => {
  if (result.status === 'fulfilled') return 'goes on';
  expect(result.reason).toBeInstanceOf(ParleyError);
  return (result.reason as ParleyError).code === 'BAD_REQUEST' ? 'is refused' : String(result.reason);
};

test.each(others.map((other, n) => [...other, n % 2 === 0 ? SHARED : PROTECTED] as const))(
  'a move to a private stream concurrent with %s',
  async (_what, other, after, kind) => {
    const made = await createFixture(kind);
    await star(made.old, made.ids[1] ?? 0);
    const [first, second] = await runInLockOrder(chat, [() => move(made), () => other(made)]);
    expect(first && outcome(first), 'the move commits first').toBe('goes on');
    expect(second && outcome(second)).toMatch(/^(goes on|is refused)$/);

    const again = await createFixture(kind);
    const [one, two] = await runInLockOrder(chat, [() => other(again), () => move(again)]);
    expect(one && outcome(one), 'the other request commits first').toBe('goes on');
    if (chat.database.kind !== 'embedded') expect(two && outcome(two)).toBe(after);
    const rows = [...(await seen(again.here)), ...(await seen(again.there))].map(([, id]) => id);
    expect(rows.toSorted(), 'no duplicate messages').toEqual([...new Set(rows)].toSorted());
  },
);

const seen = (room: Room) => rowsOf(chat.owner, room).catch(() => []);

const inTopic: [string, Act][] = [
  ['a message to it', ({ ben, here }) => post(ben, here)],
  ['a message to the new one', ({ ben, here }) => post(ben, here, 'stew')],
  ['a user reading it', ({ ben, here }) => ben.api.markTopicAsRead({ stream_id: here.id, topic_name: 'soup' })],
  ['a user leaving the stream', leave('old', 'here')],
  ['a move of one message out of it', takeOne],
  ['the same change', ({ ben, ids }) => rename({ ada: ben, ids })],
  [
    'another new name',
    ({ ben, ids }) => ben.api.updateMessage({ message_id: ids[1] ?? 0, topic: 'tea', propagate_mode: 'change_all' }),
  ],
  ['its deletion', ({ here }) => chat.owner.api.deleteTopic({ stream_id: here.id, topic_name: 'soup' })],
];

test.each(inTopic)('a topic that is renamed, and %s', async (_what, other) => {
  for (const isFirst of [true, false]) {
    const made = await createFixture({});
    const both = [() => rename(made), () => other(made)];
    for (const result of await runInLockOrder(chat, isFirst ? both : both.reverse()))
      expect(outcome(result)).toMatch(/^(goes on|is refused)$/);
  }
});
