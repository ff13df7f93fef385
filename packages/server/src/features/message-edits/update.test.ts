import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
const newName = () => `room ${made++}`;
const set = (settings: object) => chat.owner.api.updateRealm(settings);

/** Ada and Ben in a stream, with no pending events. */
async function createFixture() {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = newName();
  const id = await chat.stream(name, { by: ada, members: [ben] });
  const send = (from: TestUser, topic = 'soup', content = 'hello') => chat.message({ from, to: name, topic, content });
  const quiet = async () => void (await Promise.all([ada.takeEvents(), ben.takeEvents()]));
  await quiet();
  return { ada, ben, name, id, send, quiet };
}

// shows: 4.4.12
test('its sender edits a message, and all users who have it receive the old and new content', async () => {
  const { ada, ben, id, name, send, quiet } = await createFixture();
  const message_id = await send(ada, 'soup', 'pea');
  await quiet();
  await ada.api.updateMessage({ message_id, content: '**leek** \n\n' });
  const event = {
    id: expect.any(Number),
    type: 'update_message',
    user_id: ada.id,
    edit_timestamp: expect.any(Number),
    message_id,
    message_ids: [message_id],
    flags: [],
    rendering_only: false,
    stream_id: id,
    stream_name: name,
    orig_content: 'pea',
    orig_rendered_content: '<p>pea</p>',
    content: '**leek**',
    rendered_content: '<p><strong>leek</strong></p>',
    prev_rendered_content_version: 1,
    is_me_message: false,
  };
  expect(await ben.takeEvents('update_message')).toEqual([event]);
  const { message, raw_content } = await ben.api.getMessage({ message_id });
  expect(raw_content).toBe('**leek**');
  expect(message.edit_history).toEqual([
    {
      user_id: ada.id,
      timestamp: expect.any(Number),
      prev_content: 'pea',
      prev_rendered_content: '<p>pea</p>',
      prev_rendered_content_version: 1,
    },
  ]);
  expect(message.last_edit_timestamp).toBe(message.edit_history?.[0]?.timestamp);
});

test('renaming a topic moves all its messages, with a notice in the new topic', async () => {
  const { ada, ben, id, name, send, quiet } = await createFixture();
  const ids = [await send(ada), await send(ben, 'Soup'), await send(ada)];
  await quiet();
  await ben.api.updateMessage({ message_id: ids[1] as number, topic: 'stew', propagate_mode: 'change_all' });
  const [event] = await ada.takeEvents('update_message');
  expect(event).toMatchObject({
    message_id: ids[1],
    message_ids: [ids[1], ids[0], ids[2]],
    orig_subject: 'soup',
    subject: 'stew',
    topic_links: [],
    propagate_mode: 'change_all',
    stream_id: id,
    stream_name: name,
  });
  const [notice] = await ada.takeEvents('message');
  expect(notice?.message).toMatchObject({ subject: 'stew', sender_full_name: 'Notification Bot' });
  expect(notice?.message.content).toContain('soup');
  const { topics } = await ada.api.getStreamTopics({ stream_id: id });
  expect(topics.map((topic) => topic.name)).toEqual(['stew', 'stream events']);
  const { message } = await ada.api.getMessage({ message_id: ids[0] as number });
  expect(message.edit_history).toEqual([
    { user_id: ben.id, timestamp: expect.any(Number), prev_topic: 'soup', topic: 'stew' },
  ]);
});

test('a message moves to another topic alone, or with the later ones', async () => {
  const { ada, ben, id, send, quiet } = await createFixture();
  const ids = [await send(ada), await send(ben), await send(ada), await send(ada, 'bread')];
  await quiet();
  await ada.api.updateMessage({ message_id: ids[1] as number, topic: 'BREAD', propagate_mode: 'change_later' });
  const [event] = await ben.takeEvents('update_message');
  expect(event).toMatchObject({ message_ids: [ids[1], ids[2]], subject: 'bread', orig_subject: 'soup' });
  const { messages } = await ben.api.getMessages({
    anchor: 'newest',
    num_before: 10,
    num_after: 0,
    narrow: [
      ['stream', id],
      ['topic', 'bread'],
    ],
  });
  expect(messages.slice(0, 3).map((one) => one.id)).toEqual([ids[1], ids[2], ids[3]]);
});

test('messages move to another stream, and users who cannot read it receive their deletion', async () => {
  const { ada, ben, id, name, send, quiet } = await createFixture();
  const [cleo] = await chat.users('cleo');
  await set({ move_messages_between_streams_policy: 1 });
  const there = newName();
  const stream_id = await chat.stream(there, { by: ada, members: [cleo], invite_only: true });
  const ids = [await send(ada), await send(ben), await send(ada)];
  await quiet();
  await cleo.takeEvents();
  await ada.api.updateMessage({
    message_id: ids[0] as number,
    stream_id,
    propagate_mode: 'change_all',
    send_notification_to_old_thread: true,
  });
  expect(await ben.takeEvents('update_message', 'delete_message')).toEqual([
    {
      id: expect.any(Number),
      type: 'delete_message',
      message_type: 'stream',
      message_ids: ids,
      stream_id: id,
      topic: 'soup',
    },
  ]);
  expect(await ada.takeEvents('update_message', 'delete_message')).toMatchObject([
    { type: 'update_message', message_ids: ids, new_stream_id: stream_id, stream_id: id, stream_name: name },
  ]);
  await expectError('BAD_REQUEST', ben.api.getMessage({ message_id: ids[1] as number }));
  const seen = await cleo.api.getMessages({
    anchor: 'newest',
    num_before: 10,
    num_after: 0,
    narrow: [['stream', stream_id]],
  });
  expect(seen.messages.map((one) => one.id)).toEqual(expect.arrayContaining(ids));
});

test('an administrator deletes a topic, and no user can read it', async () => {
  const { ada, ben, id, send, quiet } = await createFixture();
  const admin = await chat.user('iago', { role: 'admin' });
  const ids = [await send(ada), await send(ben)];
  await quiet();
  await expectError(
    'UNAUTHORIZED_PRINCIPAL',
    ada.api.deleteTopic({ stream_id: id, topic_name: 'soup' }),
    /administrator/,
  );
  expect(await admin.api.deleteTopic({ stream_id: id, topic_name: 'SOUP' })).toEqual({ complete: true });
  expect(await ben.takeEvents('delete_message')).toMatchObject([{ message_ids: ids, stream_id: id, topic: 'soup' }]);
});

test('resolving a topic writes a notice in it, unread only for users who took part', async () => {
  const { ada, ben, send, quiet } = await createFixture();
  const id = await send(ada);
  await quiet();
  await ben.api.updateMessage({ message_id: id, topic: '✔ soup', propagate_mode: 'change_all' });
  expect(await ben.takeEvents('message')).toMatchObject([{ flags: ['read'], message: { subject: '✔ soup' } }]);
  expect(await ada.takeEvents('message')).toMatchObject([{ flags: [], message: { subject: '✔ soup' } }]);
});
