import type { Narrow } from '@parley/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { createStreamFixture } from '../../../test/stream-fixture.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.owner.api.addLinkifier({ pattern: '#(?P<id>[0-9]+)', url_template: 'https://t.example/{id}' });
});
afterAll(() => chat.close());

const ticket = (id: number) => ({ text: `#${id}`, url: `https://t.example/${id}` });

test('messages have the links of their topic, in events, alone and in a page', async () => {
  const { ada, ben, name, send } = await createStreamFixture(chat);
  const topic = 'fix #12, and #13';
  const id = await send(ada, 'hello', topic);
  await send(ada, 'hello', 'soup');
  const topic_links = [ticket(12), ticket(13)];
  expect((await ben.takeEvents('message')).map(({ message }) => message.topic_links)).toEqual([topic_links, []]);
  expect((await ben.api.getMessage({ message_id: id })).message).toMatchObject({ subject: topic, topic_links });
  const { messages } = await ben.api.getMessages({
    anchor: 'newest',
    num_before: 2,
    num_after: 0,
    narrow: [['stream', name]],
  });
  expect(messages.map((message) => message.topic_links)).toEqual([topic_links, []]);
});

test('a direct message has none', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const message_id = await chat.message({ from: ada, to: [ben], content: '#12' });
  expect(await ben.takeEvents('message')).toMatchObject([{ message: { topic_links: [] } }]);
  expect((await ben.api.getMessage({ message_id })).message.topic_links).toEqual([]);
});

test('a new topic emits its links, and a change of content alone emits none', async () => {
  const { ada, ben, send, discardEvents } = await createStreamFixture(chat);
  const message_id = await send(ada, 'hello', 'old #1');
  await discardEvents();
  await ada.api.updateMessage({ message_id, topic: 'new #2', send_notification_to_new_thread: false });
  await ada.api.updateMessage({ message_id, content: '#3' });
  const [moved, edited] = await ben.takeEvents('update_message');
  expect(moved).toMatchObject({ subject: 'new #2', topic_links: [ticket(2)] });
  expect(edited).not.toHaveProperty('topic_links');
  expect(edited).toMatchObject({ rendered_content: '<p><a href="https://t.example/3">#3</a></p>' });
});

test('the links of a topic follow the current linkifiers', async () => {
  const { ada, send } = await createStreamFixture(chat);
  const message_id = await send(ada, 'hello', 'menu 7');
  const links = async () => (await ada.api.getMessage({ message_id })).message.topic_links;
  expect(await links()).toEqual([]);
  const url_template = 'https://menu.example/{id}';
  const { id } = await chat.owner.api.addLinkifier({ pattern: 'menu (?P<id>[0-9]+)', url_template });
  expect(await links()).toEqual([{ text: 'menu 7', url: 'https://menu.example/7' }]);
  await chat.owner.api.deleteLinkifier({ filter_id: id });
  expect(await links()).toEqual([]);
});

test('links cost a page one statement for any number of topics, and a page without topics none', async () => {
  const { ada, ben, name, send } = await createStreamFixture(chat);
  for (let n = 0; n < 5; n += 1) await send(ada, 'hello', `topic #${n}`);
  await chat.message({ from: ben, to: [ada] });
  const cost = (num_before: number, narrow: Narrow) =>
    chat.statements(() => ada.api.getMessages({ anchor: 'newest', num_before, num_after: 0, narrow }));
  const one = await cost(1, [['stream', name]]);
  expect(await cost(5, [['stream', name]])).toBe(one);
});
