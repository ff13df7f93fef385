// Who can read messages after a move to another stream, and which flags they keep on them
// (docs/behaviour/messages.md#access-after-a-move).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { createRoom, discardEvents, flagsOf, PROTECTED, postSeveral, SHARED, star } from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

const kinds = { public: {}, shared: SHARED, protected: PROTECTED };
const modes = ['change_one', 'change_later', 'change_all'] as const;
type Mode = (typeof modes)[number];
type Kind = keyof typeof kinds;

/** Three messages by Ada in a room `from`, one of them starred by all users who can. She moves the second. */
async function createFixture(from: Kind, to: Kind) {
  const [ada, both, old, young, stranger] = await chat.users('ada', 'both', 'old', 'young', 'stranger');
  const [guest, visitor] = [await chat.user('guest', { role: 'guest' }), await chat.user('visitor', { role: 'guest' })];
  const here = await createRoom(chat, [ada, both, old, guest, visitor], kinds[from]);
  const there = await createRoom(chat, [ada, both, young, visitor], kinds[to]);
  const users = { both, old, young, stranger, guest, visitor };
  const ids = await postSeveral([ada], here, 3);
  const keepers = from === 'public' ? [both, old, young, stranger, guest] : [both, old, guest];
  for (const person of keepers) await star(person, ids[1] ?? 0);
  await discardEvents(ada, ...Object.values(users));
  const move = (propagate_mode: Mode, n = 1) =>
    ada.api.updateMessage({ message_id: ids[n] ?? 0, stream_id: there.id, propagate_mode });
  return { ada, users, here, there, ids, move };
}

const movingIn = { change_one: [1], change_later: [1, 2], change_all: [0, 1, 2] };
type Cases = [from: Kind, to: Kind, mode: Mode][];
const every = (from: Kind, to: Kind): Cases => modes.map((mode) => [from, to, mode]);

/** The events of a move that a user received, with their messages. */
async function heard(person: TestUser): Promise<[string, number[]][]> {
  return (await person.takeEvents('update_message', 'delete_message')).map(({ type, message_ids }) => [
    type,
    message_ids,
  ]);
}

describe.each([
  ...every('public', 'public'),
  ...every('public', 'shared'),
  ...every('public', 'protected'),
  ...every('shared', 'public'),
  ...every('shared', 'shared'),
  ...every('shared', 'protected'),
  ...every('protected', 'public'),
  ...every('protected', 'protected'),
])('from a %s stream to a %s one with %s', (from, to, mode) => {
  test('users can read the messages, keep their flags and receive the event by their subscriptions', async () => {
    const { users, ids, move } = await createFixture(from, to);
    const moving = movingIn[mode].map((n) => ids[n] ?? 0);
    const [first, ...rest] = [ids[1] ?? 0, ...moving.filter((id) => id !== ids[1])];
    await move(mode);
    const update = [['update_message', [first, ...rest]]];
    const deletion = [['delete_message', moving]].map(([type, list]) => [
      type,
      expect.arrayContaining(list as number[]),
    ]);
    const isOpen = to === 'public';
    const starred = (flags: string[]) =>
      moving.map((id) => (id === ids[1] ? flags : flags.filter((one) => one !== 'starred')));
    const none = moving.map(() => undefined);

    expect(await flagsOf(users.both, moving), 'a subscriber of both streams').toEqual(starred(['starred']));
    expect(await heard(users.both)).toEqual(update);
    expect(await flagsOf(users.visitor, moving), 'a guest in both streams').toEqual(starred([]));
    expect(await heard(users.visitor)).toEqual(update);

    expect(await flagsOf(users.old, moving), 'a subscriber of the old stream only').toEqual(
      isOpen ? starred(['read', 'historical']) : none,
    );
    expect(await heard(users.old)).toEqual(isOpen ? update : deletion);
    expect(await flagsOf(users.guest, moving), 'a guest in the old stream only').toEqual(none);
    expect(await heard(users.guest)).toEqual(deletion);

    const newRow = to === 'protected' ? ['read'] : ['read', 'historical'];
    const theirs = from === 'public' ? ['read', 'starred', 'historical'] : newRow;
    expect(await flagsOf(users.young, moving), 'a subscriber of the new stream only').toEqual(
      moving.map((id) => (id === ids[1] ? theirs : newRow)),
    );
    const getsEvent = from === 'public' || to === 'protected';
    expect(await heard(users.young)).toEqual(getsEvent ? update : []);

    const strange = isOpen
      ? moving.map((id) =>
          id === ids[1] && from === 'public' ? ['read', 'starred', 'historical'] : ['read', 'historical'],
        )
      : none;
    expect(await flagsOf(users.stranger, moving), 'a subscriber of neither stream').toEqual(strange);
    expect(await heard(users.stranger)).toEqual(from !== 'public' ? [] : isOpen ? update : deletion);

    const staying = ids.filter((id) => !moving.includes(id));
    expect(await flagsOf(users.old, staying), 'messages that were not moved').toEqual(staying.map(() => []));
  });
});

describe('a user who received messages of a public stream and has left it', () => {
  const leave = async ({ ada, users: { old, guest }, here }: Awaited<ReturnType<typeof createFixture>>) => {
    for (const person of [old, guest]) await person.api.unsubscribe({ subscriptions: [here.name] });
    // Their newest message stays: no event gives users who left another newest message.
    await chat.message({ from: ada, to: [old, guest] });
    await discardEvents(old, guest);
  };

  test.each(modes)('receives the move to another public stream with %s, unless as a guest', async (mode) => {
    const made = await createFixture('public', 'public');
    await leave(made);
    await made.move(mode, 0);
    const all = made.ids.slice(0, mode === 'change_one' ? 1 : 3);
    expect(await heard(made.users.old)).toEqual([['update_message', all]]);
    expect(await heard(made.users.guest)).toEqual([]);
  });

  test.each(modes)('receives the removal by a move to a private stream with %s, unless as a guest', async (mode) => {
    for (const kind of ['shared', 'protected'] as const) {
      const made = await createFixture('public', kind);
      await leave(made);
      await made.move(mode, 0);
      const all = made.ids.slice(0, mode === 'change_one' ? 1 : 3);
      expect(await heard(made.users.old)).toEqual([['delete_message', all]]);
      expect(await heard(made.users.guest)).toEqual([]);
    }
  });
});
