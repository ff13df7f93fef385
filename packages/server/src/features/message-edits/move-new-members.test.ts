// Users receive a move late, after their subscriptions changed: their events still add up to the state (the mirror law,
// which is checked after each test).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import {
  addMembers,
  createRoom,
  discardEvents,
  flagsOf,
  PROTECTED,
  postSeveral,
  type Room,
  SHARED,
  star,
} from '../../../test/rooms.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1, delete_own_message_policy: 5 });
  ada = await chat.user('ada', { mirrored: false });
});
afterAll(() => chat.close());

const kinds = { public: {}, shared: SHARED, protected: PROTECTED };
type Kind = keyof typeof kinds;
type Rooms = { here: Room; there: Room };
type Step = (users: TestUser[], rooms: Rooms) => Promise<unknown>;

const leave =
  (from: 'here' | 'there'): Step =>
  (users, rooms) =>
    chat.owner.api.unsubscribe({ subscriptions: [rooms[from].name], principals: users.map(({ id }) => id) });
const join: Step = (users, { there }) => addMembers(ada, there, ...users);
const steps: Step[][] = [
  [],
  [leave('here')],
  [leave('there')],
  [leave('here'), leave('there')],
  [join],
  [join, leave('here')],
  [join, leave('there')],
];

/** Sends messages that are delivered, then some that are not, and moves all but the first of them. */
async function moved(rooms: Rooms, users: readonly TestUser[], keepers: readonly TestUser[]): Promise<number[]> {
  const ids = await postSeveral([ada], rooms.here, 3);
  for (const person of keepers) await star(person, ids[0] ?? 0, ids[2] ?? 0);
  await discardEvents(...users);
  ids.push(...(await postSeveral([ada], rooms.here, 2)));
  const move = { stream_id: rooms.there.id, propagate_mode: 'change_later' } as const;
  await ada.api.updateMessage({ message_id: ids[1] ?? 0, ...move });
  return ids;
}

const streamKinds = Object.keys(kinds).flatMap((from) => Object.keys(kinds).map((to) => [from, to] as [Kind, Kind]));

test.each(streamKinds)(
  'users who unsubscribe or subscribe before receiving a move from a %s stream to a %s one',
  async (from, to) => {
    const groups = await Promise.all(
      steps.map(async () => ({
        both: await chat.user('both'),
        old: await chat.user('old'),
        guest: await chat.user('guest', { role: 'guest' }),
        stranger: await chat.user('stranger'),
      })),
    );
    const insiders = groups.flatMap(({ both, old, guest }) => [both, old, guest]);
    const everyone = groups.flatMap((group) => Object.values(group));
    const here = await createRoom(chat, [ada, ...insiders], kinds[from]);
    const there = await createRoom(chat, [ada, ...groups.map(({ both }) => both)], kinds[to]);
    const ids = await moved({ here, there }, everyone, from === 'public' ? everyone : insiders);
    for (const [n, group] of groups.entries())
      for (const step of steps[n] ?? []) await step(Object.values(group), { here, there });
    expect(await flagsOf(groups[0]?.both as TestUser, ids.slice(1))).toEqual([[], ['starred'], [], []]);
  },
);

const archive = (which: 'here' | 'there') => (rooms: Rooms) =>
  chat.owner.api.archiveStream({ stream_id: rooms[which].id });
const turn = (is_private: boolean) => (rooms: Rooms) =>
  chat.owner.api.updateStream({ stream_id: rooms.there.id, is_private, history_public_to_subscribers: false });

test.each([
  ['the old stream is archived', 'public', 'shared', archive('here')],
  ['the new stream is archived', 'public', 'public', archive('there')],
  ['the new stream is archived', 'shared', 'protected', archive('there')],
  ['the new stream is archived', 'protected', 'shared', archive('there')],
  ['the new stream becomes private', 'public', 'public', turn(true)],
  ['the new stream becomes private', 'protected', 'public', turn(true)],
  ['the new stream becomes public', 'public', 'protected', turn(false)],
  ['the new stream becomes public', 'protected', 'shared', turn(false)],
] as const)('%s before users receive a move from a %s stream to a %s one', async (_what, from, to, step) => {
  const [both, old, stranger] = await chat.users('both', 'old', 'stranger');
  const guest = await chat.user('guest', { role: 'guest' });
  const rooms = {
    here: await createRoom(chat, [ada, both, old, guest], kinds[from]),
    there: await createRoom(chat, [ada, both, chat.owner], kinds[to]),
  };
  const users = [both, old, guest, stranger];
  await moved(rooms, users, from === 'public' ? users : [both, old, guest]);
  await step(rooms);
});

test.each([
  ['back to where they were', 'public', 'shared', 'here'],
  ['back to where they were', 'protected', 'public', 'here'],
  ['on to a third stream', 'public', 'public', 'third'],
  ['on to a third stream', 'shared', 'protected', 'third'],
  ['on to a third stream', 'protected', 'public', 'third'],
] as const)(
  'messages go %s before users receive their move from a %s stream to a %s one',
  async (_what, from, to, where) => {
    const [both, old, all, last] = await chat.users('both', 'old', 'all', 'last');
    const rooms = {
      here: await createRoom(chat, [ada, both, old, all], kinds[from]),
      there: await createRoom(chat, [ada, both, all], kinds[to]),
      third: await createRoom(chat, [ada, all, last], SHARED),
    };
    const [, second = 0, , fourth = 0] = await moved(rooms, [both, old, all, last], [both, old, all]);
    await ada.api.updateMessage({ message_id: second, stream_id: rooms[where].id });
    await ada.api.updateMessage({ message_id: fourth, stream_id: rooms[where].id, topic: 'stew' });
    await ada.api.updateMessage({ message_id: second, topic: 'broth', propagate_mode: 'change_all' });
  },
);

test.each(Object.keys(kinds) as Kind[])(
  'a topic of a %s stream is renamed, split and merged before users receive the events',
  async (kind) => {
    const [both, old, late] = await chat.users('both', 'old', 'late');
    const [here, there] = [
      await createRoom(chat, [ada, both, old], kinds[kind]),
      await createRoom(chat, [ada, both], SHARED),
    ];
    const move = (message_id = 0, how: object = {}) => ada.api.updateMessage({ message_id, ...how });
    const all = { propagate_mode: 'change_all', send_notification_to_new_thread: false };
    const [first, second, third, fourth, ...rest] = await postSeveral([ada], here, 5);
    await addMembers(ada, here, late);
    await discardEvents(both, old, late);
    const unheard = await postSeveral([ada], here, 2);
    await move(first, { topic: 'stew', ...all });
    await move(second, { topic: 'broth' });
    await move(third, { stream_id: there.id });
    await ada.api.deleteMessage({ message_id: first ?? 0 });
    await move(fourth, { topic: 'BROTH', ...all });
    await move(second, { topic: 'soup', ...all });
    const [renaming] = await both.takeEvents('update_message');
    expect(renaming).toMatchObject({ orig_subject: 'soup', subject: 'stew' });
    expect(renaming?.message_ids).toEqual(expect.arrayContaining([second, third, fourth, ...rest, ...unheard]));
  },
);
