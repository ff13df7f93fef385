// Which messages move, and where to (docs/behaviour/messages.md#what-moves, and checks 3 to 7 of
// docs/behaviour/messages.md#order-of-checks-when-editing as far as they are about moves).
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
  SHARED,
} from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

async function createFixture() {
  const [ada, ben] = await chat.users('ada', 'ben');
  const here = await createRoom(chat, [ada, ben]);
  return { ada, ben, here, there: await createRoom(chat, [ada, ben]) };
}

const topicsIn = async ({ api }: TestUser, { id }: Room) =>
  (await api.getStreamTopics({ stream_id: id })).topics.map(({ name }) => name);

// shows: 4.4.2 [change_one] [the message alone], 4.4.6 [change_one] [the message alone]
// shows: 4.4.7 [change_later] [the message and all that follow it in the topic], 4.4.8 [change_all] [the whole topic]
test.each([
  ['change_one', 'the message alone', [1]],
  ['change_later', 'the message and all that follow it in the topic', [1, 2]],
  ['change_all', 'the whole topic', [0, 1, 2]],
] as const)('%s within a stream moves %s', async (propagate_mode, _what, moving) => {
  const { ada, ben, here } = await createFixture();
  const ids = await postSeveral([ada, ben], here, 3);
  const other = await post(ada, here, 'tea');
  await ben.api.updateMessage({ message_id: ids[1] ?? 0, topic: 'stew', propagate_mode });
  expect(await rowsOf(ada, here)).toEqual([
    ...ids.map((id, n) => [(moving as readonly number[]).includes(n) ? 'stew' : 'soup', id]),
    ['tea', other],
  ]);
});

// shows: 4.4.6 [change_one], 4.4.7 [change_later], 4.4.8 [change_all], 4.4.13
test.each([
  ['change_one', [1]],
  ['change_later', [1, 2]],
  ['change_all', [0, 1, 2]],
] as const)(
  '%s to another stream moves as many messages, and keeps the topic if no other is given',
  async (propagate_mode, moving) => {
    const { ada, ben, here, there } = await createFixture();
    const ids = await postSeveral([ada, ben], here, 3);
    const isMoving = (_id: number, n: number) => (moving as readonly number[]).includes(n);
    await ben.api.updateMessage({ message_id: ids[1] ?? 0, stream_id: there.id, propagate_mode });
    expect(await rowsOf(ada, there)).toEqual(ids.filter(isMoving).map((id) => ['soup', id]));
    expect(await rowsOf(ada, here)).toEqual(ids.filter((id, n) => !isMoving(id, n)).map((id) => ['soup', id]));
  },
);

// shows: 4.4.5
test('one message moves when no propagate_mode is given', async () => {
  const { ada, here } = await createFixture();
  const [first = 0, second = 0] = await postSeveral([ada], here, 2);
  await ada.api.updateMessage({ message_id: first, topic: 'stew' });
  expect(await rowsOf(ada, here)).toEqual([
    ['stew', first],
    ['soup', second],
  ]);
});

test('the stream and the topic change in one request', async () => {
  const { ada, here, there } = await createFixture();
  const ids = await postSeveral([ada], here, 2);
  const to = { stream_id: there.id, topic: 'stew' };
  await ada.api.updateMessage({ message_id: ids[1] ?? 0, ...to, propagate_mode: 'change_all' });
  expect(await rowsOf(ada, there)).toEqual(ids.map((id) => ['stew', id]));
});

test('the content and the topic change in one request, the content of the one message only', async () => {
  const { ada, here } = await createFixture();
  const ids = await postSeveral([ada], here, 2);
  const change = { content: 'leek', topic: 'stew', propagate_mode: 'change_all' } as const;
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, ...change });
  const contents = await Promise.all(ids.map((message_id) => ada.api.getMessage({ message_id })));
  expect(contents.map(({ raw_content, message }) => [message.subject, raw_content])).toEqual([
    ['stew', 'leek'],
    ['stew', 'hello'],
  ]);
});

test('topics match ignoring case, and an existing topic keeps its case', async () => {
  const { ada, ben, here, there } = await createFixture();
  const ids = [await post(ada, here, 'soup'), await post(ben, here, 'SOUP'), await post(ada, here, 'Tea')];
  const known = await post(ben, there, 'TEA');
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'tEA', propagate_mode: 'change_all' });
  expect(await rowsOf(ada, here)).toEqual(ids.map((id) => ['Tea', id]));
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id, propagate_mode: 'change_all' });
  expect(await rowsOf(ada, there)).toEqual([...ids, known].map((id) => ['TEA', id]));
});

test('a change of case alone is a rename', async () => {
  const { ada, ben, here } = await createFixture();
  const ids = await postSeveral([ada, ben], here, 2);
  await discardEvents(ben);
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'SOUP', propagate_mode: 'change_all' });
  expect(await rowsOf(ben, here)).toEqual(ids.map((id) => ['SOUP', id]));
  expect(await ben.takeEvents('update_message')).toMatchObject([
    { message_ids: ids, orig_subject: 'soup', subject: 'SOUP' },
  ]);
});

test('a change of case concerns the whole topic, also with one message in the request, and in the event', async () => {
  for (const propagate_mode of ['change_one', 'change_later'] as const) {
    const { ada, ben, here } = await createFixture();
    const ids = await postSeveral([ada, ben], here, 3);
    await discardEvents(ben);
    await ada.api.updateMessage({ message_id: ids[1] ?? 0, topic: 'SOUP', propagate_mode });
    expect(await rowsOf(ben, here)).toEqual(ids.map((id) => ['SOUP', id]));
    const message_ids = [ids[1], ids[0], ids[2]];
    expect(await ben.takeEvents('update_message')).toMatchObject([{ message_ids, propagate_mode: 'change_all' }]);
  }
});

test('a topic that is renamed back and forth exists once, with all its messages', async () => {
  const { ada, here } = await createFixture();
  const ids = await postSeveral([ada], here, 2);
  const quietly = { propagate_mode: 'change_all', send_notification_to_new_thread: false } as const;
  for (const topic of ['stew', 'soup', 'stew', 'soup']) {
    await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic, ...quietly });
    expect(await topicsIn(ada, here)).toEqual([topic, 'stream events']);
  }
  const later = await post(ada, here, 'stew');
  expect(await rowsOf(ada, here)).toEqual([...ids.map((id) => ['soup', id]), ['stew', later]]);
});

test('within a stream all messages of the topic move, also those that the mover cannot see', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const here = await createRoom(chat, [ada], PROTECTED);
  const before = await postSeveral([ada], here, 2);
  await addMembers(ada, here, ben);
  const after = await postSeveral([ada], here, 2);
  await ben.api.updateMessage({ message_id: after[1] ?? 0, topic: 'stew', propagate_mode: 'change_all' });
  expect(await rowsOf(ada, here)).toEqual([...before, ...after].map((id) => ['stew', id]));
  expect(await rowsOf(ben, here)).toEqual(after.map((id) => ['stew', id]));
});

test('to another stream only messages that the mover can read move; the others stay without a notice', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const here = await createRoom(chat, [ada], PROTECTED);
  const there = await createRoom(chat, [ben]);
  const before = await postSeveral([ada], here, 2);
  await addMembers(ada, here, ben);
  const after = await postSeveral([ada], here, 2);
  await discardEvents(ada, ben);
  await ben.api.updateMessage({ message_id: after[0] ?? 0, stream_id: there.id, propagate_mode: 'change_all' });
  expect(await rowsOf(ada, here)).toEqual(before.map((id) => ['soup', id]));
  expect(await rowsOf(ben, there)).toEqual(after.map((id) => ['soup', id]));
  expect(await ada.takeEvents('update_message', 'delete_message')).toMatchObject([{ message_ids: after }]);
});

test('the present topic is ignored, also with spaces around it', async () => {
  const { ada, here, there } = await createFixture();
  const message_id = await post(ada, here);
  await expectError('BAD_REQUEST', ada.api.updateMessage({ message_id, topic: ' soup ' }), /nothing to change/);
  await ada.api.updateMessage({ message_id, topic: 'soup', stream_id: there.id });
  expect(await rowsOf(ada, there)).toEqual([['soup', message_id]]);
});

test('the present stream_id is accepted, moves nothing and emits no event', async () => {
  const { ada, ben, here } = await createFixture();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 6 });
  const ids = await postSeveral([ada, ben], here, 2);
  await discardEvents(ada, ben);
  const change = { message_id: ids[0] ?? 0, stream_id: here.id, propagate_mode: 'change_all' } as const;
  await ada.api.updateMessage(change);
  expect(await ben.takeEvents()).toEqual([]);
  expect((await ada.api.getMessage({ message_id: ids[0] ?? 0 })).message).not.toHaveProperty('edit_history');
  await ada.api.updateMessage({ ...change, topic: 'stew' });
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
  expect(await rowsOf(ada, here)).toEqual(ids.map((id) => ['stew', id]));
  expect((await ben.takeEvents('update_message')).map((event) => 'new_stream_id' in event)).toEqual([false]);
});

// shows: 4.4.4, 9.15
test('subject is an alias of topic, and both together fail', async () => {
  const { ada, here } = await createFixture();
  const message_id = await post(ada, here);
  await ada.api.updateMessage({ message_id, subject: 'stew' });
  expect(await rowsOf(ada, here)).toEqual([['stew', message_id]]);
  const both = await expectError(
    'REQUEST_CONFUSING_VAR',
    ada.api.updateMessage({ message_id, topic: 'a', subject: 'b' }),
  );
  expect([both.var_name1, both.var_name2].sort()).toEqual(['subject', 'topic']);
});

// shows: 4.4.3, 4.4.14
test('the topic and the stream of a direct message cannot be changed', async () => {
  const { ada, ben, there } = await createFixture();
  const message_id = await chat.message({ from: ada, to: [ben] });
  await expectError('BAD_REQUEST', ada.api.updateMessage({ message_id, topic: 'soup' }), /topic/);
  await expectError('BAD_REQUEST', ada.api.updateMessage({ message_id, stream_id: there.id }), /stream/);
});

// shows: 2.23
test.each([
  ['blank', ' ', /topic/],
  ['61 characters', 'x'.repeat(61), /60/],
  ['a control character', 'so\u0007up', /position 3/],
])('a topic cannot be %s', async (_what, topic, names) => {
  const { ada, here } = await createFixture();
  const message_id = await post(ada, here);
  await expectError('BAD_REQUEST', ada.api.updateMessage({ message_id, topic }), names);
  expect(await rowsOf(ada, here)).toEqual([['soup', message_id]]);
});

test('a topic of 60 characters can be resolved: the check mark does not count', async () => {
  const { ada, here } = await createFixture();
  const topic = 'x'.repeat(60);
  const message_id = await post(ada, here, topic);
  await ada.api.updateMessage({ message_id, topic: `✔ ${topic}` });
  expect(await rowsOf(ada, here)).toEqual([[`✔ ${topic}`, message_id]]);
});

// shows: 4.4.9
test('an unknown propagate_mode, or one for later messages without a move, fails', async () => {
  const { ada, here } = await createFixture();
  const message_id = await post(ada, here);
  const change = (params: object) => ada.api.updateMessage({ message_id, ...params });
  await expectError('BAD_REQUEST', change({ topic: 'stew', propagate_mode: 'change_some' }), /propagate_mode/);
  await expectError('BAD_REQUEST', change({ content: 'leek', propagate_mode: 'change_all' }), /propagate_mode/);
  await expectError('BAD_REQUEST', change({ content: 'leek', propagate_mode: 'change_later' }), /propagate_mode/);
});

// shows: 4.4.15
test('the content cannot change together with the stream', async () => {
  const { ada, here, there } = await createFixture();
  const message_id = await post(ada, here);
  const both = ada.api.updateMessage({ message_id, content: 'leek', stream_id: there.id });
  await expectError('BAD_REQUEST', both, /stream_id/);
  expect(await rowsOf(ada, here)).toEqual([['soup', message_id]]);
});

test('messages that were moved apart can be moved together again, and are in the order of their ids', async () => {
  const [ada] = await chat.users('ada');
  const [here, there] = [await createRoom(chat, [ada]), await createRoom(chat, [ada], SHARED)];
  const ids = await postSeveral([ada], here, 4);
  await ada.api.updateMessage({ message_id: ids[1] ?? 0, stream_id: there.id });
  await ada.api.updateMessage({ message_id: ids[3] ?? 0, topic: 'stew' });
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id, propagate_mode: 'change_all' });
  await ada.api.updateMessage({ message_id: ids[3] ?? 0, stream_id: there.id, topic: 'soup' });
  expect(await rowsOf(ada, there)).toEqual(ids.map((id) => ['soup', id]));
});
