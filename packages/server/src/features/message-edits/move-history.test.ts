// Entries of moves in the history of a message (docs/behaviour/messages.md#edit-history).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { addMembers, createRoom, PROTECTED, post, postSeveral } from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

async function createFixture() {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada, ben]), await createRoom(chat, [ada, ben])];
  const move = ({ api }: TestUser, message_id = 0, how: object = {}) =>
    api.updateMessage({ message_id, send_notification_to_new_thread: false, ...how });
  return { ada, ben, here, there, ids: await postSeveral([ada, ben], here, 3), move };
}

const all = { propagate_mode: 'change_all' };
const later = { propagate_mode: 'change_later' };

const historyOf = async ({ api }: TestUser, message_id = 0) =>
  (await api.getMessage({ message_id })).message.edit_history;
const when = { timestamp: expect.any(Number) };
const from = ({ id }: TestUser, prev_topic: string, topic: string, streams: object = {}) => ({
  user_id: id,
  ...when,
  ...(prev_topic !== topic && { prev_topic, topic }),
  ...streams,
});

test('each message that moved has an entry: who, when, and the topic before and after', async () => {
  const { ada, ben, ids, move } = await createFixture();
  await move(ben, ids[1], { topic: 'stew', ...later });
  expect(await historyOf(ada, ids[0])).toBeUndefined();
  for (const id of ids.slice(1)) {
    expect(await historyOf(ada, id)).toEqual([from(ben, 'soup', 'stew')]);
    const { message } = await ada.api.getMessage({ message_id: id });
    expect(message.last_edit_timestamp).toBe(message.edit_history?.[0]?.timestamp);
  }
});

test('a move to another stream has both streams, and the topics only if they differ', async () => {
  const { ada, here, there, ids, move } = await createFixture();
  await move(ada, ids[0], { stream_id: there.id, ...all });
  await move(ada, ids[0], { stream_id: here.id, topic: 'stew', ...all });
  const back = from(ada, 'soup', 'stew', { prev_stream: there.id, stream: here.id });
  for (const id of ids)
    expect(await historyOf(ada, id)).toEqual([
      back,
      { user_id: ada.id, ...when, prev_stream: here.id, stream: there.id },
    ]);
});

test('only the message of the request has content in its entry', async () => {
  const { ada, ids, move } = await createFixture();
  await move(ada, ids[0], { topic: 'stew', content: 'leek', ...all });
  const content = { prev_content: 'hello', prev_rendered_content: '<p>hello</p>', prev_rendered_content_version: 1 };
  expect(await historyOf(ada, ids[0])).toEqual([{ ...from(ada, 'soup', 'stew'), ...content }]);
  expect(await historyOf(ada, ids[1])).toEqual([from(ada, 'soup', 'stew')]);
});

test('after a rename, a merge and another rename every message has its own moves, newest first', async () => {
  const { ada, ben, here, ids, move } = await createFixture();
  const [first, second, third] = ids;
  const other = await post(ben, here, 'stew');
  await move(ada, first, { topic: 'broth', ...all });
  await move(ben, other, { topic: 'casserole', ...all });
  await move(ada, first, { topic: 'CASSEROLE', ...all });
  await move(ben, second, { topic: 'pot', ...all });
  const late = await post(ada, here, 'pot');
  await move(ada, third, { topic: 'pan' });
  await move(ben, late, { topic: 'dish', ...all });

  const [rename, merge, again] = [
    from(ada, 'soup', 'broth'),
    from(ada, 'broth', 'casserole'),
    from(ben, 'casserole', 'pot'),
  ];
  expect(await historyOf(ada, first)).toEqual([from(ben, 'pot', 'dish'), again, merge, rename]);
  expect(await historyOf(ada, second)).toEqual([from(ben, 'pot', 'dish'), again, merge, rename]);
  expect(await historyOf(ada, third)).toEqual([from(ada, 'pot', 'pan'), again, merge, rename]);
  expect(await historyOf(ada, other)).toEqual([from(ben, 'pot', 'dish'), again, from(ben, 'stew', 'casserole')]);
  expect(await historyOf(ada, late)).toEqual([from(ben, 'pot', 'dish')]);
});

test('renames of a topic count for a message only while the message is in it, also after it came back', async () => {
  const { ada, there, here, ids, move } = await createFixture();
  const [first, second] = ids;
  await move(ada, first, { topic: 'pan' });
  await move(ada, second, { topic: 'stew', ...all });
  await move(ada, first, { topic: 'stew' });
  await move(ada, second, { topic: 'broth', ...all });
  expect(await historyOf(ada, first)).toEqual([
    from(ada, 'stew', 'broth'),
    from(ada, 'pan', 'stew'),
    from(ada, 'soup', 'pan'),
  ]);
  await move(ada, first, { stream_id: there.id });
  await move(ada, second, { topic: 'roast', ...all });
  await move(ada, first, { stream_id: here.id, topic: 'roast' });
  expect(await historyOf(ada, first)).toEqual([
    from(ada, 'broth', 'roast', { prev_stream: there.id, stream: here.id }),
    { user_id: ada.id, ...when, prev_stream: here.id, stream: there.id },
    from(ada, 'stew', 'broth'),
    from(ada, 'pan', 'stew'),
    from(ada, 'soup', 'pan'),
  ]);
});

test('a topic that took the name of another has its own history', async () => {
  const { ada, here, ids, move } = await createFixture();
  await move(ada, ids[0], { topic: 'stew', ...all });
  const young = await post(ada, here, 'soup');
  await move(ada, young, { topic: 'broth', ...all });
  await move(ada, ids[0], { topic: 'soup', ...all });
  expect(await historyOf(ada, young)).toEqual([from(ada, 'soup', 'broth')]);
  expect(await historyOf(ada, ids[0])).toEqual([from(ada, 'stew', 'soup'), from(ada, 'soup', 'stew')]);
});

test('the history has each state, oldest first, and a page of messages has the same entries as one message', async () => {
  const { ada, ben, here, there, ids, move } = await createFixture();
  await move(ben, ids[0], { topic: 'stew' });
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, content: 'leek' });
  await move(ben, ids[0], { stream_id: there.id, topic: '✔ stew' });
  const { message_history } = await ada.api.getMessageHistory({ message_id: ids[0] ?? 0 });
  expect(
    message_history.map(({ topic, content, user_id, prev_topic, prev_stream, stream }) => ({
      topic,
      content,
      user_id,
      prev_topic,
      prev_stream,
      stream,
    })),
  ).toEqual([
    { topic: 'soup', content: 'hello', user_id: ada.id },
    { topic: 'stew', content: 'hello', user_id: ben.id, prev_topic: 'soup' },
    { topic: 'stew', content: 'leek', user_id: ada.id },
    { topic: '✔ stew', content: 'leek', user_id: ben.id, prev_topic: 'stew', prev_stream: here.id, stream: there.id },
  ]);
  const page = await ada.api.getMessages({
    anchor: ids[0] ?? 0,
    num_before: 0,
    num_after: 0,
    narrow: [['stream', there.id]],
  });
  expect(page.messages[0]?.edit_history).toEqual(await historyOf(ada, ids[0]));
});

test('messages that the mover cannot see have an entry when their topic is renamed', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const here = await createRoom(chat, [ada], PROTECTED);
  const hidden = await post(ada, here);
  await addMembers(ada, here, ben);
  const seen = await post(ada, here);
  await ben.api.updateMessage({ message_id: seen, topic: 'stew', propagate_mode: 'change_all' });
  expect(await historyOf(ada, hidden)).toEqual([from(ben, 'soup', 'stew')]);
});

test('moves are not in the history when the organization hides histories', async () => {
  const { ada, ids, move } = await createFixture();
  await move(ada, ids[0], { topic: 'stew' });
  await chat.owner.api.updateRealm({ allow_edit_history: false });
  const { message } = await ada.api.getMessage({ message_id: ids[0] ?? 0 });
  await chat.owner.api.updateRealm({ allow_edit_history: true });
  expect(message).not.toHaveProperty('edit_history');
});

test('many moves are read in as many statements as one', async () => {
  const ada = await chat.user('ada', { mirrored: false });
  const here = await createRoom(chat, [ada]);
  const ids = await postSeveral([ada], here, 20);
  const cost = () =>
    chat.statements(() =>
      ada.api.getMessages({ anchor: 'newest', num_before: 30, num_after: 0, narrow: [['stream', here.id]] }),
    );
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'stew' });
  const one = await cost();
  for (const id of ids.slice(1)) {
    const quietly = { message_id: id, send_notification_to_new_thread: false };
    await ada.api.updateMessage({ ...quietly, topic: `topic ${id}` });
    await ada.api.updateMessage({ ...quietly, topic: `place ${id}`, propagate_mode: 'change_all' });
  }
  expect(await cost()).toBe(one);
});
