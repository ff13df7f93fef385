// Resolving topics (specification 3; docs/behaviour/messages.md#resolve-a-topic).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { addMembers, createRoom, discardEvents, notesIn, post, postSeveral, rowsOf } from '../../../test/rooms.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.updateRealm({ move_messages_between_streams_policy: 1 });
});
afterAll(() => chat.close());

async function createFixture(topic = 'soup') {
  const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
  const here = await createRoom(chat, [ada, ben, cleo, dan]);
  const ids = await postSeveral([ada, ben], here, 2, topic);
  await discardEvents(ada, ben, cleo, dan);
  const change = (to: string, how: object = {}) =>
    cleo.api.updateMessage({ message_id: ids[0] ?? 0, topic: to, propagate_mode: 'change_all', ...how });
  return { ada, ben, cleo, dan, here, ids, change };
}

const says = ({ full_name, id }: TestUser, state: string) =>
  `@_**${full_name}|${id}** has marked this topic as ${state}.`;

// shows: 3.4
test('a topic is resolved by the prefix of a check mark and a space, and unresolved without it', async () => {
  const { ada, cleo, here, ids, change } = await createFixture();
  await change('✔ soup');
  expect(await rowsOf(ada, here)).toEqual(ids.map((id) => ['✔ soup', id]));
  expect(await notesIn(ada, here, '✔ soup')).toEqual([says(cleo, 'resolved')]);
  const resolved = await ada.api.getMessages({
    anchor: 'newest',
    num_before: 9,
    num_after: 0,
    narrow: [['is', 'resolved']],
  });
  expect(resolved.messages.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  await change('soup');
  expect(await rowsOf(ada, here)).toEqual(ids.map((id) => ['soup', id]));
  expect(await notesIn(ada, here, 'soup')).toEqual([says(cleo, 'resolved'), says(cleo, 'unresolved')]);
});

test('the notice mentions the actor silently', async () => {
  const { ada, change } = await createFixture();
  await change('✔ soup');
  const [note] = await ada.takeEvents('message');
  expect(note?.message.content).toContain('class="user-mention silent"');
  expect(note?.message.sender_full_name).toBe('Notification Bot');
});

// shows: 3.5
test.each([
  {},
  { send_notification_to_new_thread: false },
  { send_notification_to_old_thread: true },
  { send_notification_to_old_thread: true, send_notification_to_new_thread: false },
])('given %j, resolving writes one notice in the new topic, and none of a move', async (how) => {
  const { ada, cleo, here, change } = await createFixture();
  await change('✔ soup', how);
  expect(await notesIn(ada, here, '✔ soup')).toEqual([says(cleo, 'resolved')]);
  expect(await notesIn(ada, here, 'soup')).toEqual([]);
  await change('soup', how);
  expect(await notesIn(ada, here, 'soup')).toEqual([says(cleo, 'resolved'), says(cleo, 'unresolved')]);
});

test('resolving one message of a topic writes the notice in its new topic', async () => {
  const { ada, cleo, here, ids, change } = await createFixture();
  await change('✔ soup', { propagate_mode: 'change_one' });
  expect(await rowsOf(ada, here)).toEqual([
    ['✔ soup', ids[0]],
    ['soup', ids[1]],
  ]);
  expect(await notesIn(ada, here, '✔ soup')).toEqual([says(cleo, 'resolved')]);
});

test('resolving into an existing resolved topic writes the notice there', async () => {
  const { ada, cleo, here, ids, change } = await createFixture();
  const known = await post(ada, here, '✔ soup');
  await change('✔ SOUP');
  expect(await rowsOf(ada, here)).toEqual([...ids, known].map((id) => ['✔ soup', id]));
  expect(await notesIn(ada, here, '✔ soup')).toEqual([says(cleo, 'resolved')]);
});

test('resolving into an existing resolved topic in another case writes only this notice there', async () => {
  const { ada, cleo, here, ids, change } = await createFixture();
  const known = await post(ada, here, '✔ SOUP');
  await change('✔ soup', { send_notification_to_old_thread: true });
  expect(await rowsOf(ada, here)).toEqual([...ids, known].map((id) => ['✔ SOUP', id]));
  expect(await notesIn(ada, here, '✔ SOUP')).toEqual([says(cleo, 'resolved')]);
});

test('with a change of content, it is an ordinary move', async () => {
  const { ada, ben, here, ids } = await createFixture();
  await ben.api.updateMessage({
    message_id: ids[1] ?? 0,
    topic: '✔ soup',
    content: 'done',
    propagate_mode: 'change_all',
  });
  expect(await notesIn(ada, here, '✔ soup')).toEqual([
    `This topic was moved here from #**${here.name}>soup** by @_**${ben.full_name}|${ben.id}**.`,
  ]);
});

test('resolving and renaming together writes both notices', async () => {
  const { ada, cleo, here, change } = await createFixture();
  await change('✔ stew', { send_notification_to_old_thread: true });
  const link = (topic: string) => `#**${here.name}>${topic}** by @_**${cleo.full_name}|${cleo.id}**.`;
  expect(await notesIn(ada, here, '✔ stew')).toEqual([
    says(cleo, 'resolved'),
    `This topic was moved here from ${link('soup')}`,
  ]);
  expect(await notesIn(ada, here, 'soup')).toEqual([`This topic was moved to ${link('✔ stew')}`]);
  await change('broth', { send_notification_to_new_thread: false });
  expect((await notesIn(ada, here, 'broth')).slice(2)).toEqual([says(cleo, 'unresolved')]);
});

test('resolving with a move to another stream writes both notices', async () => {
  const { ada, cleo, ids, change } = await createFixture();
  const there = await createRoom(chat, [ada, cleo]);
  await change('✔ soup', { stream_id: there.id });
  const notes = await notesIn(ada, there, '✔ soup');
  expect(notes[0]).toBe(says(cleo, 'resolved'));
  expect(notes[1]).toMatch(/^This topic was moved here from /);
  expect(notes).toHaveLength(2);
  expect(await rowsOf(ada, there)).toEqual(ids.map((id) => ['✔ soup', id]));
});

test.each([
  ['✔ soup', '✔ ✔✔soup'],
  ['✔ soup', '✔ stew'],
  ['soup', 'Soup'],
  ['soup', '✔soup'],
])('from "%s" to "%s" is an ordinary move', async (from, to) => {
  const { ada, cleo, here, change } = await createFixture(from);
  await change(to);
  expect(await notesIn(ada, here, to)).toEqual([
    `This topic was moved here from #**${here.name}>${from}** by @_**${cleo.full_name}|${cleo.id}**.`,
  ]);
});

test.each([
  ['✔ ✔✔soup', 'soup', 'unresolved'],
  ['✔soup', '✔ soup', 'resolved'],
  ['✔✔ soup', '✔ ✔ soup', 'resolved'],
])('from "%s" to "%s" writes the notice %s, and no other', async (from, to, state) => {
  const { ada, cleo, here, change } = await createFixture(from);
  await change(to, { send_notification_to_old_thread: true });
  expect(await notesIn(ada, here, to)).toEqual([says(cleo, state)]);
  expect(await notesIn(ada, here, from)).toEqual([]);
});

test('the notice is unread only for users who wrote or reacted to the moved messages', async () => {
  const { ada, ben, cleo, dan, here, ids } = await createFixture();
  const [eve] = await chat.users('eve');
  const [read, unread] = [['read'], []];
  await addMembers(ada, here, eve);
  await eve.api.addReaction({ message_id: ids[0] ?? 0, emoji_name: 'heart' });
  const late = await post(dan, here);
  await ben.api.addReaction({ message_id: late, emoji_name: 'tada' });
  await dan.api.addReaction({ message_id: ids[0] ?? 0, emoji_name: 'tada' });
  await discardEvents(ada, ben, cleo, dan, eve);
  const flags = async () =>
    Promise.all(
      [ada, ben, cleo, dan, eve].map(async (one) => (await one.takeEvents('message')).map((event) => event.flags)),
    );
  const change = (message_id: number | undefined, topic: string, propagate_mode: 'change_one' | 'change_all') =>
    cleo.api.updateMessage({ message_id: message_id ?? 0, topic, propagate_mode });
  await change(ids[0], '✔ soup', 'change_one');
  expect(await flags(), 'Ada sent the message, and Dan and Eve reacted').toEqual([
    [unread],
    [read],
    [read],
    [unread],
    [unread],
  ]);
  await change(late, '✔ soup', 'change_one');
  expect(await flags(), 'Dan sent the message, and Ben reacted').toEqual([[read], [unread], [read], [unread], [read]]);
  await change(ids[1], '✔ soup', 'change_all');
  expect(await flags(), 'Ben sent the remaining messages').toEqual([[read], [unread], [read], [read], [read]]);
  await change(ids[1], 'soup', 'change_all');
  expect(await flags(), 'all users except Cleo participated').toEqual([[unread], [unread], [read], [unread], [unread]]);
  const { messages } = await cleo.api.getMessages({
    anchor: 'newest',
    num_before: 9,
    num_after: 0,
    narrow: [['is', 'unread']],
  });
  expect(messages.filter(({ content }) => content.includes('marked this topic'))).toEqual([]);
});

test('a user who resolves a topic that they wrote in gets the notice as unread like the others', async () => {
  const { ada, ids } = await createFixture();
  await ada.api.updateMessage({ message_id: ids[0] ?? 0, topic: '✔ soup', propagate_mode: 'change_all' });
  expect(await ada.takeEvents('message')).toMatchObject([{ flags: [] }]);
});

test('a notice that was read from the start can be marked as unread, and stays unread when its topic moves', async () => {
  const { ada, dan, here, change } = await createFixture();
  const there = await createRoom(chat, [ada, dan]);
  await discardEvents(dan);
  await change('✔ soup');
  const [note] = await dan.takeEvents('message');
  const message_id = note?.message.id ?? 0;
  expect((await dan.api.getMessage({ message_id })).message.flags).toEqual(['read']);
  await ada.api.updateMessage({ message_id, stream_id: there.id });
  expect((await dan.api.getMessage({ message_id })).message.flags).toEqual(['read']);
  await dan.api.updateMessageFlags({ messages: [message_id], op: 'remove', flag: 'read' });
  await ada.api.updateMessage({ message_id, stream_id: here.id, topic: 'notes' });
  expect((await dan.api.getMessage({ message_id })).message.flags).toEqual([]);
});
