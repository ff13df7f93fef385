// Visibility policies of users after messages move (docs/behaviour/topics.md#policies-after-a-move).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import {
  addMembers,
  createRoom,
  discardEvents,
  PROTECTED,
  post,
  postSeveral,
  type Room,
  SHARED,
} from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

const [NONE, MUTED, UNMUTED, FOLLOWED] = [0, 1, 2, 3] as const;
type Policy = 0 | 1 | 2 | 3;

const set = ({ api }: TestUser, { id }: Room, topic: string, visibility_policy: Policy) =>
  api.updateUserTopic({ stream_id: id, topic, visibility_policy });

/** The visibility policies of a user in a new registration. */
async function policiesOf({ api }: TestUser): Promise<[number, string, number][]> {
  const { user_topics = [] } = await api.registerQueue({ fetch_event_types: ['user_topic'] });
  return user_topics.map(({ stream_id, topic_name, visibility_policy }) => [stream_id, topic_name, visibility_policy]);
}

async function createFixture() {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada, ben]), await createRoom(chat, [ada, ben])];
  const ids = await postSeveral([chat.owner], here, 3);
  await discardEvents(ada, ben);
  const move = (n: number, how: object) =>
    chat.owner.api.updateMessage({ message_id: ids[n] ?? 0, send_notification_to_new_thread: false, ...how });
  return { ada, ben, here, there, ids, move };
}

const all = { propagate_mode: 'change_all' };

test.each([MUTED, UNMUTED, FOLLOWED])('policy %d moves with a topic that is renamed', async (policy) => {
  const { ada, ben, here, move } = await createFixture();
  await set(ada, here, 'soup', policy);
  await discardEvents(ada, ben);
  await move(0, { topic: 'stew', ...all });
  expect(await policiesOf(ada)).toEqual([[here.id, 'stew', policy]]);
  expect(await ada.takeEvents('user_topic')).toEqual(
    [
      ['soup', NONE],
      ['stew', policy],
    ].map(([topic_name, visibility_policy]) => ({
      id: expect.any(Number),
      type: 'user_topic',
      stream_id: here.id,
      topic_name,
      last_updated: expect.any(Number),
      visibility_policy,
    })),
  );
  expect(await ben.takeEvents('user_topic')).toEqual([]);
});

test('policies move to another stream, separately for each user', async () => {
  const { ada, ben, here, there, move } = await createFixture();
  await set(ada, here, 'soup', MUTED);
  await set(ben, here, 'soup', FOLLOWED);
  await move(1, { stream_id: there.id, topic: 'stew', ...all });
  expect([await policiesOf(ada), await policiesOf(ben)]).toEqual([
    [[there.id, 'stew', MUTED]],
    [[there.id, 'stew', FOLLOWED]],
  ]);
});

test('policies stay when part of a topic moves, and move when no visible message stays behind', async () => {
  const { ada, here, there, move } = await createFixture();
  await set(ada, here, 'soup', FOLLOWED);
  await move(2, { topic: 'stew', propagate_mode: 'change_one' });
  await move(1, { stream_id: there.id, topic: 'stew', propagate_mode: 'change_later' });
  expect(await policiesOf(ada)).toEqual([[here.id, 'soup', FOLLOWED]]);
  await move(0, { stream_id: there.id, topic: 'broth', propagate_mode: 'change_one' });
  expect(await policiesOf(ada)).toEqual([[there.id, 'broth', FOLLOWED]]);
});

test('policies move with the last visible message within a stream, too, into a topic with messages', async () => {
  const { ada, here, move } = await createFixture();
  await set(ada, here, 'soup', MUTED);
  await post(chat.owner, here, 'stew');
  await move(1, { topic: 'stew', propagate_mode: 'change_later' });
  expect(await policiesOf(ada)).toEqual([[here.id, 'soup', MUTED]]);
  await set(ada, here, 'stew', MUTED);
  await move(0, { topic: 'stew', propagate_mode: 'change_one' });
  expect(await policiesOf(ada)).toEqual([[here.id, 'stew', MUTED]]);
});

test('messages that the mover cannot see do not keep the policies back', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada], PROTECTED), await createRoom(chat, [ada, ben])];
  await post(ada, here);
  await addMembers(ada, here, ben);
  const message_id = await post(ada, here);
  await set(ben, here, 'soup', FOLLOWED);
  await ben.api.updateMessage({ message_id, stream_id: there.id });
  expect(await policiesOf(ben)).toEqual([[there.id, 'soup', FOLLOWED]]);
});

describe.each([
  ['within the stream', false],
  ['to another stream', true],
])('merged %s', (_where, isElsewhere) => {
  const outcome = (one: Policy, other: Policy): Policy => {
    if (one === other) return one;
    return one === UNMUTED || other === UNMUTED ? UNMUTED : NONE;
  };
  const policies = [NONE, MUTED, UNMUTED, FOLLOWED] as const;
  test('equal policies are kept, unmuted takes precedence, and other pairs are cleared', async () => {
    const { ada, here, there, move } = await createFixture();
    const room = isElsewhere ? there : here;
    const pairs = policies.flatMap((one) => policies.map((other) => [one, other] as const));
    const expected: [number, string, number][] = [];
    for (const [one, other] of pairs) {
      const [from, to] = [`from ${one}${other}`, `to ${one}${other}`];
      const message_id = await post(chat.owner, here, from);
      await post(chat.owner, room, to);
      if (one !== NONE) await set(ada, here, from, one);
      if (other !== NONE) await set(ada, room, to, other);
      const target = isElsewhere ? { stream_id: there.id } : {};
      const quietly = { send_notification_to_new_thread: false };
      await chat.owner.api.updateMessage({ message_id, topic: to, ...target, ...quietly });
      const left = outcome(one, other);
      if (left !== NONE) expected.push([room.id, to, left]);
    }
    expect(await policiesOf(ada)).toEqual(expected);
    await move(0, { topic: 'last' });
  });
});

test('an empty topic of the new name keeps the policies of users who have none for the topic that moves', async () => {
  for (const isElsewhere of [false, true]) {
    const { ada, ben, here, there, move } = await createFixture();
    const target = isElsewhere ? there : here;
    await set(ada, target, 'stew', MUTED);
    await set(ben, target, 'stew', MUTED);
    await set(ben, here, 'soup', FOLLOWED);
    await move(0, { topic: 'stew', ...(isElsewhere && { stream_id: there.id }), ...all });
    expect(await policiesOf(ada)).toEqual([[target.id, 'stew', MUTED]]);
    expect(await policiesOf(ben)).toEqual([[target.id, 'stew', FOLLOWED]]);
  }
});

test('users who cannot read the new stream lose their policy for the topic, and receive the event', async () => {
  const [ada, ben, stranger] = await chat.users('ada', 'ben', 'stranger');
  const guest = await chat.user('guest', { role: 'guest' });
  const [here, hidden, open] = [
    await createRoom(chat, [ada, ben, guest]),
    await createRoom(chat, [ada], SHARED),
    await createRoom(chat, [ada]),
  ];
  const ids = [await post(ada, here, 'soup'), await post(ada, here, 'tea')];
  const users = [ada, ben, stranger, guest];
  for (const person of users) for (const topic of ['soup', 'tea']) await set(person, here, topic, FOLLOWED);
  await discardEvents(...users);
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: hidden.id, ...all, propagate_mode: 'change_all' });
  await ada.api.updateMessage({ message_id: ids[1] ?? 0, stream_id: open.id, propagate_mode: 'change_all' });
  const [soup, tea] = [
    [hidden.id, 'soup', FOLLOWED],
    [open.id, 'tea', FOLLOWED],
  ];
  expect(await Promise.all(users.map(policiesOf))).toEqual([[soup, tea], [tea], [tea], []]);
  const heard = (await guest.takeEvents('user_topic')).map((event) => [
    event.stream_id,
    event.topic_name,
    event.visibility_policy,
  ]);
  expect(heard).toEqual([
    [here.id, 'soup', NONE],
    [here.id, 'tea', NONE],
  ]);
});

test('a new topic with the name of one that was moved has no policy', async () => {
  const { ada, here, there, move } = await createFixture();
  await set(ada, here, 'soup', MUTED);
  await move(0, { stream_id: there.id, ...all });
  await post(chat.owner, here, 'soup');
  expect(await policiesOf(ada)).toEqual([[there.id, 'soup', MUTED]]);
});
