import type { Narrow } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import { createStreamFixture, shared } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const contentOf = async (person: { api: Chat['owner']['api'] }, message_id: number) =>
  (await person.api.getMessage({ message_id })).raw_content;

test('editing a direct message emits an event without a stream to both participants', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const message_id = await chat.message({ from: ada, to: [ben], content: 'pea' });
  await Promise.all([ada.takeEvents(), ben.takeEvents()]);
  await ada.api.updateMessage({ message_id, content: '/me cooks' });
  const event = {
    id: expect.any(Number),
    type: 'update_message',
    user_id: ada.id,
    edit_timestamp: expect.any(Number),
    message_id,
    message_ids: [message_id],
    flags: [],
    rendering_only: false,
    orig_content: 'pea',
    orig_rendered_content: '<p>pea</p>',
    content: '/me cooks',
    rendered_content: '<p>/me cooks</p>',
    prev_rendered_content_version: 1,
    is_me_message: true,
  };
  expect(await ada.takeEvents()).toEqual([event]);
  expect(await ben.takeEvents()).toEqual([event]);
  expect(await cleo.takeEvents('update_message')).toEqual([]);
});

test('content and topic can change together in one event', async () => {
  const { ada, ben, id, name, send, discardEvents } = await createStreamFixture(chat);
  await send(ben);
  const message_id = await send(ada, 'pea');
  await discardEvents();
  await ada.api.updateMessage({ message_id, content: 'rye', topic: 'bread' });
  expect(await ben.takeEvents('update_message')).toEqual([
    {
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
      content: 'rye',
      rendered_content: '<p>rye</p>',
      prev_rendered_content_version: 1,
      is_me_message: false,
      orig_subject: 'soup',
      subject: 'bread',
      topic_links: [],
      propagate_mode: 'change_one',
    },
  ]);
  expect((await ben.api.getMessage({ message_id })).message).toMatchObject({ subject: 'bread', content: '<p>rye</p>' });
});

test('an event about a change of topic has no keys for the content', async () => {
  const { ada, ben, id, name, send, discardEvents } = await createStreamFixture(chat);
  const message_ids = [await send(ada), await send(ada)];
  await discardEvents();
  await ben.api.updateMessage({ message_id: message_ids[0] ?? 0, topic: ' stew ', propagate_mode: 'change_all' });
  expect(await ada.takeEvents('update_message')).toEqual([
    {
      id: expect.any(Number),
      type: 'update_message',
      user_id: ben.id,
      edit_timestamp: expect.any(Number),
      message_id: message_ids[0],
      message_ids,
      flags: [],
      rendering_only: false,
      stream_id: id,
      stream_name: name,
      orig_subject: 'soup',
      subject: 'stew',
      topic_links: [],
      propagate_mode: 'change_all',
    },
  ]);
});

test.each([
  ['trailing whitespace goes', 'leek \n\t ', 'leek'],
  ['leading newlines go', '\r\n\nleek', 'leek'],
  ['leading spaces stay', '    leek', '    leek'],
  ['what is blank becomes "(deleted)"', ' \n ', '(deleted)'],
  ['what is empty becomes "(deleted)"', '', '(deleted)'],
])('of new content %s', async (_rule, content, stored) => {
  const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
  const message_id = await send(ada);
  await discardEvents();
  await ada.api.updateMessage({ message_id, content });
  expect(await ben.takeEvents('update_message')).toMatchObject([{ content: stored }]);
  expect(await contentOf(ben, message_id)).toBe(stored);
});

test('an edit with the same content is an edit like any other', async () => {
  const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
  const message_id = await send(ada, 'pea');
  await discardEvents();
  await ada.api.updateMessage({ message_id, content: 'pea' });
  expect(await ben.takeEvents('update_message')).toMatchObject([{ orig_content: 'pea', content: 'pea' }]);
  expect((await ben.api.getMessage({ message_id })).message.edit_history).toMatchObject([{ prev_content: 'pea' }]);
});

// shows: 4.4.28
test('the response to an edit has only success, and names unknown parameters', async () => {
  const { ada, send } = await createStreamFixture(chat);
  const message_id = await send(ada);
  const authorization = `Basic ${Buffer.from(`${ada.email}:${ada.apiKey}`).toString('base64')}`;
  const patch = async (form: Record<string, string>) => {
    const body = new URLSearchParams(form);
    const answer = await chat.fetch(`/api/v1/messages/${message_id}`, {
      method: 'PATCH',
      headers: { authorization },
      body,
    });
    return answer.json();
  };
  expect(await patch({ content: 'leek' })).toEqual({ result: 'success', msg: '' });
  expect(await patch({ content: 'leek', colour: 'green' })).toMatchObject({
    ignored_parameters_unsupported: ['colour'],
  });
  expect(await patch({ subject: 'stew' })).toEqual({ result: 'success', msg: '' });
  expect(await patch({ subject: 'stew', topic: 'soup' })).toMatchObject({ code: 'REQUEST_CONFUSING_VAR' });
  expect((await ada.api.getMessage({ message_id })).message.subject).toBe('stew');
});

test('a user who cannot post to the stream any more, or has left it, can edit their messages there', async () => {
  const { ada, ben, id, name, send, discardEvents } = await createStreamFixture(chat);
  const message_id = await send(ben, 'pea');
  await chat.owner.api.updateStream({ stream_id: id, stream_post_policy: 2 });
  await expectError('BAD_REQUEST', send(ben), /administrators/);
  await ben.api.updateMessage({ message_id, content: 'leek' });
  await ben.api.unsubscribe({ subscriptions: [name] });
  await discardEvents();
  await ben.api.updateMessage({ message_id, content: 'potato' });
  expect(await ada.takeEvents('update_message')).toMatchObject([{ orig_content: 'leek', content: 'potato' }]);
  expect(await ben.takeEvents('update_message')).toHaveLength(1);
});

test('users with the message in their history receive an edit, with their own flags', async () => {
  const [cleo, dan] = await chat.users('cleo', 'dan');
  const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
  const message_id = await send(ada, 'pea');
  await cleo.api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'starred' });
  await ben.api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'read' });
  await Promise.all([discardEvents(), cleo.takeEvents()]);
  await ada.api.updateMessage({ message_id, content: 'leek' });
  expect(await ben.takeEvents()).toMatchObject([{ type: 'update_message', flags: ['read'] }]);
  expect(await cleo.takeEvents()).toMatchObject([{ type: 'update_message', flags: ['read', 'starred', 'historical'] }]);
  expect(await dan.takeEvents('update_message')).toEqual([]);
});

test('where history is shared, users who subscribed after the message receive its edits too', async () => {
  const [cleo] = await chat.users('cleo');
  const { ada, name, send } = await createStreamFixture(chat, [], shared);
  const message_id = await send(ada, 'pea');
  await ada.api.subscribe({ subscriptions: [{ name }], principals: [cleo.id] });
  await cleo.takeEvents();
  await ada.api.updateMessage({ message_id, content: 'leek' });
  expect(await cleo.takeEvents('update_message')).toMatchObject([{ content: 'leek', flags: ['read', 'historical'] }]);
});

test('search finds a message by its current content', async () => {
  const { ada, ben, id, send } = await createStreamFixture(chat);
  const message_id = await send(ada, 'an artichoke http://example.com');
  const found = async (...terms: Narrow) => {
    const narrow = [['stream', id] as const, ...terms];
    const { messages } = await ben.api.getMessages({ anchor: message_id, num_before: 0, num_after: 0, narrow });
    return messages.map((message) => message.id);
  };
  expect([await found(['search', 'artichoke']), await found(['has', 'link'])]).toEqual([[message_id], [message_id]]);
  await ada.api.updateMessage({ message_id, content: 'see the cucumber' });
  expect([await found(['search', 'artichoke']), await found(['has', 'link'])]).toEqual([[], []]);
  expect(await found(['search', 'cucumber'])).toEqual([message_id]);
});

test('two concurrent edits both succeed, one after the other', async () => {
  const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
  const message_id = await send(ada, 'pea');
  await discardEvents();
  await Promise.all(['leek', 'rye'].map((content) => ada.api.updateMessage({ message_id, content })));
  const [first, second] = await ben.takeEvents('update_message');
  expect(first).toMatchObject({ orig_content: 'pea' });
  expect(second).toMatchObject({ orig_content: first?.content, content: await contentOf(ben, message_id) });
});
