// The event `update_message` of moves: its exact keys, and its audience
// (docs/behaviour/messages.md#events-of-edits-and-moves).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import {
  addMembers,
  createRoom,
  discardEvents,
  markRead,
  PROTECTED,
  post,
  postSeveral,
  SHARED,
  star,
  unreadOf,
} from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

async function createFixture() {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [here, there] = [await createRoom(chat, [ada, ben]), await createRoom(chat, [ada, ben])];
  const ids = await postSeveral([ada, ben], here, 3);
  await discardEvents(ada, ben);
  return { ada, ben, here, there, ids };
}

const quietly = { propagate_mode: 'change_all', send_notification_to_new_thread: false } as const;

/** The keys of every event of Ada's moves. */
const common = (ada: TestUser, ids: readonly number[]) => ({
  id: expect.any(Number),
  type: 'update_message',
  user_id: ada.id,
  edit_timestamp: expect.any(Number),
  message_id: ids[0],
  message_ids: ids,
  flags: [],
  rendering_only: false,
});

test('a change of topic has exactly these keys', async () => {
  const { ada, ben, here, ids } = await createFixture();
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'stew', propagate_mode: 'change_all' });
  const [event] = await ben.takeEvents('update_message');
  expect(event).toEqual({
    ...common(ada, ids),
    stream_id: here.id,
    stream_name: here.name,
    orig_subject: 'soup',
    subject: 'stew',
    topic_links: [],
    propagate_mode: 'change_all',
  });
  expect(Math.abs((event?.edit_timestamp ?? 0) - chat.clock().getTime() / 1000)).toBeLessThan(30);
});

test('a change of stream has exactly these keys, with the old stream and its name', async () => {
  const { ada, ben, here, there, ids } = await createFixture();
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id, propagate_mode: 'change_later' });
  expect(await ben.takeEvents('update_message')).toEqual([
    {
      ...common(ada, ids),
      stream_id: here.id,
      stream_name: here.name,
      orig_subject: 'soup',
      new_stream_id: there.id,
      propagate_mode: 'change_later',
    },
  ]);
});

test('a change of stream and topic has the keys of both', async () => {
  const { ada, ben, here, there, ids } = await createFixture();
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id, topic: 'stew' });
  expect(await ben.takeEvents('update_message')).toEqual([
    {
      ...common(ada, ids.slice(0, 1)),
      stream_id: here.id,
      stream_name: here.name,
      orig_subject: 'soup',
      subject: 'stew',
      topic_links: [],
      new_stream_id: there.id,
      propagate_mode: 'change_one',
    },
  ]);
});

test('a change of content and topic has the keys of both', async () => {
  const { ada, ben, here, ids } = await createFixture();
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, content: '/me eats', topic: 'stew' });
  expect(await ben.takeEvents('update_message')).toEqual([
    {
      ...common(ada, ids.slice(0, 1)),
      stream_id: here.id,
      stream_name: here.name,
      orig_content: 'hello',
      orig_rendered_content: '<p>hello</p>',
      content: '/me eats',
      rendered_content: '<p>/me eats</p>',
      prev_rendered_content_version: 1,
      is_me_message: true,
      orig_subject: 'soup',
      subject: 'stew',
      topic_links: [],
      propagate_mode: 'change_one',
    },
  ]);
});

test('the id of the request comes first, the others in ascending order', async () => {
  const { ada, ben, there, ids } = await createFixture();
  const [first, second, third] = ids;
  await ada.api.updateMessage({ message_id: second ?? 0, topic: 'stew', ...quietly });
  await ada.api.updateMessage({ message_id: third ?? 0, stream_id: there.id, ...quietly });
  expect(
    (await ben.takeEvents('update_message')).map(({ message_id, message_ids }) => [message_id, message_ids]),
  ).toEqual([
    [second, [second, first, third]],
    [third, [third, first, second]],
  ]);
});

test('the flags are those of the recipient on the message of the request', async () => {
  const { ada, ben, there, ids } = await createFixture();
  await markRead(ben, ids[0] ?? 0);
  await star(ben, ids[0] ?? 0, ids[1] ?? 0);
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id, propagate_mode: 'change_all' });
  expect(await ben.takeEvents('update_message')).toMatchObject([{ flags: ['read', 'starred'] }]);
  expect(await ada.takeEvents('update_message')).toMatchObject([{ flags: [] }]);
});

test('the topic in an event has the case of the existing topic, whatever case was requested', async () => {
  const { ada, ben, here, ids } = await createFixture();
  await post(ada, here, 'Stew');
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'sTEW', propagate_mode: 'change_all' });
  expect(await ben.takeEvents('update_message')).toMatchObject([{ orig_subject: 'soup', subject: 'Stew' }]);
});

test('all subscribers of a stream with shared history receive a move in it, whether they received the message or not', async () => {
  for (const kind of [{}, SHARED]) {
    const [ada, late, outsider] = await chat.users('ada', 'late', 'outsider');
    const here = await createRoom(chat, [ada], kind);
    const ids = await postSeveral([ada], here, 2);
    await addMembers(ada, here, late);
    await discardEvents(ada, late, outsider);
    await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'stew', propagate_mode: 'change_all' });
    expect(await late.takeEvents('update_message')).toMatchObject([
      { message_ids: ids, flags: ['read', 'historical'] },
    ]);
    expect(await outsider.takeEvents()).toEqual([]);
  }
});

test('users with flags on a message of a public stream receive its moves without a subscription', async () => {
  const { ada, there, ids } = await createFixture();
  const [keeper] = await chat.users('keeper');
  await star(keeper, ids[0] ?? 0);
  await keeper.takeEvents();
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'stew' });
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id });
  await ada.api.updateMessage({ message_id: ids[1] ?? 0, topic: 'stew' });
  expect(await keeper.takeEvents('update_message')).toMatchObject([
    { subject: 'stew', flags: ['read', 'starred', 'historical'] },
    { new_stream_id: there.id, flags: ['read', 'starred', 'historical'] },
  ]);
});

test('where history is protected, users receive only the messages that they received', async () => {
  const [ada, late, latest] = await chat.users('ada', 'late', 'latest');
  const here = await createRoom(chat, [ada], PROTECTED);
  const ids = await postSeveral([ada], here, 2);
  await addMembers(ada, here, late);
  ids.push(...(await postSeveral([ada], here, 2)));
  await addMembers(ada, here, latest);
  await discardEvents(ada, late, latest);
  const change = (n: number, propagate_mode: 'change_one' | 'change_all', topic: string) =>
    ada.api.updateMessage({ ...quietly, message_id: ids[n] ?? 0, topic, propagate_mode });
  await change(0, 'change_one', 'stew');
  expect([await late.takeEvents('update_message'), await latest.takeEvents('update_message')]).toEqual([[], []]);
  await change(0, 'change_all', 'soup');
  await change(3, 'change_all', 'broth');
  await change(0, 'change_all', 'bread');
  const heard = (await late.takeEvents('update_message')).map((event) => [event.message_ids, event.subject]);
  expect(heard).toEqual([
    [[ids[3], ids[2]], 'broth'],
    [[ids[2], ids[3]], 'bread'],
  ]);
  expect((await ada.takeEvents('update_message')).at(-1)?.message_ids).toEqual([ids[0], ids[1], ids[2], ids[3]]);
  expect(await latest.takeEvents('update_message')).toEqual([]);
});

test('when the message of the request is hidden from a user, the flags are theirs on the first visible one', async () => {
  const [ada, late] = await chat.users('ada', 'late');
  const open = await createRoom(chat, [ada]);
  for (const to of [{ topic: 'stew' }, { stream_id: open.id }]) {
    const here = await createRoom(chat, [ada], PROTECTED);
    const hidden = await post(ada, here);
    await addMembers(ada, here, late);
    const shown = await post(ada, here, 'soup', `hello @**${late.full_name}**`);
    await star(late, shown);
    await discardEvents(late);
    await ada.api.updateMessage({ ...quietly, message_id: hidden, ...to });
    const { flags } = (await late.api.getMessage({ message_id: shown })).message;
    expect(flags).toContain('starred' in to || 'topic' in to ? 'mentioned' : 'read');
    expect(await late.takeEvents('update_message')).toMatchObject([{ message_id: shown, message_ids: [shown], flags }]);
  }
});

test('when messages leave protected history, users receive only the messages that they had received', async () => {
  const [ada, late, latest, reader] = await chat.users('ada', 'late', 'latest', 'reader');
  const here = await createRoom(chat, [ada], PROTECTED);
  const there = await createRoom(chat, [ada, reader]);
  const ids = await postSeveral([ada], here, 1);
  await addMembers(ada, here, late);
  ids.push(await post(ada, here));
  await addMembers(ada, here, latest);
  await discardEvents(ada, late, latest, reader);
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id, propagate_mode: 'change_all' });
  expect(await late.takeEvents('update_message', 'delete_message')).toMatchObject([{ message_ids: [ids[1]] }]);
  expect(await latest.takeEvents('update_message', 'delete_message')).toEqual([]);
  expect(await reader.takeEvents('update_message', 'delete_message')).toEqual([]);
  expect(await ada.takeEvents('update_message')).toMatchObject([{ message_ids: ids }]);
});

test('unread messages are found under the new topic and stream', async () => {
  const { ada, ben, here, there, ids } = await createFixture();
  await markRead(ben, ids[1] ?? 0);
  const theirs = async () => (await unreadOf(ben)).filter(([, id]) => ids.includes(id));
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: 'stew', propagate_mode: 'change_all' });
  expect(await theirs()).toEqual([ids[0], ids[2]].map((id) => [`${here.id} stew`, id]));
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, stream_id: there.id, propagate_mode: 'change_all' });
  expect(await theirs()).toEqual([ids[0], ids[2]].map((id) => [`${there.id} stew`, id]));
});
