// How old messages can be that a user moves (docs/behaviour/messages.md#time-limit-of-moves; specification 4.4, rule 3,
// and 7).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import {
  addMembers,
  createRoom,
  discardEvents,
  PROTECTED,
  post,
  postSeveral,
  type Room,
  rowsOf,
} from '../../../test/rooms.ts';

let chat: Chat;
const set = (settings: object) => chat.owner.api.updateRealm(settings);
const limits = (within: number | 'unlimited', between: number | 'unlimited') =>
  set({ move_messages_within_stream_limit_seconds: within, move_messages_between_streams_limit_seconds: between });

beforeAll(async () => {
  chat = await startChat();
  await set({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

/** Two old messages and two young ones in one topic; messages younger than an hour can be moved. */
async function createFixture() {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada, ben]), await createRoom(chat, [ada, ben])];
  const old = await postSeveral([ada, ben], here, 2);
  chat.clock.advance({ minutes: 5 });
  const young = await postSeveral([ada, ben], here, 2);
  await limits(200, 200);
  await discardEvents(ada, ben);
  return { ada, ben, here, there, old, young };
}

const rename = (
  { api }: TestUser,
  message_id = 0,
  propagate_mode: 'change_one' | 'change_later' | 'change_all' = 'change_one',
) => api.updateMessage({ message_id, topic: 'stew', propagate_mode });
const shift = (
  { api }: TestUser,
  message_id = 0,
  { id }: Room,
  propagate_mode: 'change_one' | 'change_all' = 'change_one',
) => api.updateMessage({ message_id, stream_id: id, propagate_mode });
const TOO_OLD = 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED';

// shows: 4.4.22 [member] [true], 4.4.22 [moderator] [false], 4.4.22 [admin] [false], 8.8 [member] [true]
// shows: 8.8 [moderator] [false], 8.8 [admin] [false]
test.each([
  ['guest', true],
  ['member', true],
  ['moderator', false],
  ['admin', false],
  ['owner', false],
] as const)('the limit applies to a %s: %s', async (role, binds) => {
  const { ada, here, old } = await createFixture();
  const person = await chat.user('pat', { role });
  await addMembers(ada, here, person);
  if (binds) await expectError(TOO_OLD, rename(person, old[0]));
  else await rename(person, old[0], 'change_all');
});

// shows: 4.4.20, 4.4.21
test.each([
  ['a change of topic', { topic: 'stew' }, 200, 1000, true],
  ['a change of topic', { topic: 'stew' }, 1000, 200, false],
  ['a change of stream', { stream: true }, 1000, 200, true],
  ['a change of stream', { stream: true }, 200, 1000, false],
  ['a change of both', { topic: 'stew', stream: true }, 200, 1000, true],
  ['a change of both', { topic: 'stew', stream: true }, 1000, 200, true],
  ['a change of both', { topic: 'stew', stream: true }, 1000, 1000, false],
  ['a change of both', { topic: 'stew', stream: true }, 'unlimited', 200, true],
  ['a change of both', { topic: 'stew', stream: true }, 200, 'unlimited', true],
  ['a change of both', { topic: 'stew', stream: true }, 'unlimited', 'unlimited', false],
  ['a change of topic', { topic: 'stew' }, 'unlimited', 200, false],
  ['a change of stream', { stream: true }, 200, 'unlimited', false],
  ['a change of topic and the present stream', { topic: 'stew', stay: true }, 1000, 200, false],
] as const)(
  '%s (%j), %s within and %s between streams, 300 seconds old: fails %s',
  async (_what, to, within, between, isRefused) => {
    const { ada, here, there, old } = await createFixture();
    await limits(within, between);
    const { topic, stream, stay } = { topic: undefined, stream: false, stay: false, ...to };
    const stream_id = stream ? there.id : stay ? here.id : undefined;
    const change = ada.api.updateMessage({
      message_id: old[0] ?? 0,
      ...(topic && { topic }),
      ...(stream_id && { stream_id }),
    });
    if (isRefused) await expectError(TOO_OLD, change);
    else await change;
  },
);

// shows: 4.4.22, 7.14, 7.15, 9.10
test.each([
  ['change_one', 1, 0, undefined],
  ['change_later', 3, 2, 0],
  ['change_all', 4, 2, 0],
] as const)(
  '%s fails for one old message, with the counts: %d, young enough %d',
  async (mode, total, allowed, first) => {
    const { ada, ben, old, young, here } = await createFixture();
    expect(await expectError(TOO_OLD, rename(ada, old[1], mode))).toEqual({
      result: 'error',
      code: TOO_OLD,
      msg: expect.any(String),
      first_message_id_allowed_to_move: first === undefined ? null : young[first],
      total_messages_in_topic: total,
      total_messages_allowed_to_move: allowed,
    });
    expect(await rowsOf(ada, here)).toEqual([...old, ...young].map((id) => ['soup', id]));
    expect(await ben.takeEvents()).toEqual([]);
  },
);

// shows: 7.15
test('the counts are the same for a young message of an old topic, and for a move to another stream', async () => {
  const { ada, there, young } = await createFixture();
  const counts = {
    first_message_id_allowed_to_move: young[0],
    total_messages_in_topic: 4,
    total_messages_allowed_to_move: 2,
  };
  expect(await expectError(TOO_OLD, rename(ada, young[1], 'change_all'))).toMatchObject(counts);
  expect(await expectError(TOO_OLD, shift(ada, young[1], there, 'change_all'))).toMatchObject(counts);
});

test('a change of case concerns the whole topic, so old messages prevent it', async () => {
  const { ada, here, young, old } = await createFixture();
  for (const propagate_mode of ['change_one', 'change_later', 'change_all'] as const) {
    const call = ada.api.updateMessage({ message_id: young[0] ?? 0, topic: 'SOUP', propagate_mode });
    expect(await expectError(TOO_OLD, call)).toMatchObject({
      total_messages_in_topic: 4,
      total_messages_allowed_to_move: 2,
      first_message_id_allowed_to_move: young[0],
    });
  }
  expect(await rowsOf(ada, here)).toEqual([...old, ...young].map((id) => ['soup', id]));
});

// shows: 7.17
test('the request succeeds when repeated with change_later on the first message that can be moved', async () => {
  const { ada, here, there, old, young } = await createFixture();
  const errorResponse = await expectError(TOO_OLD, rename(ada, old[0], 'change_all'));
  await rename(ada, errorResponse.first_message_id_allowed_to_move ?? 0, 'change_later');
  expect(await rowsOf(ada, here)).toEqual([...old.map((id) => ['soup', id]), ...young.map((id) => ['stew', id])]);
  const late = await post(ada, here);
  const again = await expectError(TOO_OLD, shift(ada, old[0], there, 'change_all'));
  expect(again.first_message_id_allowed_to_move).toBe(late);
  const first = again.first_message_id_allowed_to_move ?? 0;
  await ada.api.updateMessage({ message_id: first, stream_id: there.id, propagate_mode: 'change_later' });
  expect(await rowsOf(ada, there)).toEqual([['soup', late]]);
});

// shows: 7.16
test('the error has no first message when all are too old, and nothing moves', async () => {
  const { ada, here, old, young } = await createFixture();
  chat.clock.advance({ minutes: 4 });
  expect(await expectError(TOO_OLD, rename(ada, young[0], 'change_all'))).toMatchObject({
    first_message_id_allowed_to_move: null,
    total_messages_in_topic: 4,
    total_messages_allowed_to_move: 0,
  });
  expect(await rowsOf(ada, here)).toEqual([...old, ...young].map((id) => ['soup', id]));
});

test('young messages can be moved one by one and with the later ones, however old the topic is', async () => {
  const { ada, here, old, young } = await createFixture();
  await rename(ada, young[1]);
  await rename(ada, young[0], 'change_later');
  expect(await rowsOf(ada, here)).toEqual([...old.map((id) => ['soup', id]), ...young.map((id) => ['stew', id])]);
});

// shows: 4.4.27
test('messages that the user cannot read do not count: neither in the numbers nor as too old', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada], PROTECTED), await createRoom(chat, [ben])];
  const hidden = await postSeveral([ada], here, 2);
  await addMembers(ada, here, ben);
  const old = await post(ada, here);
  chat.clock.advance({ minutes: 5 });
  const young = await post(ada, here);
  await limits(200, 200);
  // In sequence: the second would reject before the test waits for it.
  const moves = [() => rename(ben, young, 'change_all'), () => shift(ben, young, there, 'change_all')];
  for (const move of moves)
    expect(await expectError(TOO_OLD, move())).toMatchObject({
      first_message_id_allowed_to_move: young,
      total_messages_in_topic: 2,
      total_messages_allowed_to_move: 1,
    });
  await limits(400, 400);
  chat.clock.advance({ minutes: 1 });
  await ada.api.updateMessage({ message_id: old, topic: 'old', propagate_mode: 'change_one' });
  await limits(200, 200);
  await rename(ben, young, 'change_all');
  expect(await rowsOf(ada, here)).toEqual([...hidden.map((id) => ['stew', id]), ['old', old], ['stew', young]]);
});

// shows: 4.4.27
test('the readable part of a topic moves without an error when the rest is hidden', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada], PROTECTED), await createRoom(chat, [ben])];
  const hidden = await post(ada, here);
  await addMembers(ada, here, ben);
  chat.clock.advance({ minutes: 5 });
  const young = await post(ada, here);
  await limits(200, 200);
  await shift(ben, young, there, 'change_all');
  expect([await rowsOf(ada, here), await rowsOf(ben, there)]).toEqual([[['soup', hidden]], [['soup', young]]]);
});

test('permission is checked before age', async () => {
  const { ada, there, old } = await createFixture();
  await set({ edit_topic_policy: 2, move_messages_between_streams_policy: 2 });
  await expectError('BAD_REQUEST', rename(ada, old[0]), /permission/);
  await expectError('BAD_REQUEST', shift(ada, old[0], there), /permission/);
  await set({ edit_topic_policy: 5, move_messages_between_streams_policy: 1 });
});
