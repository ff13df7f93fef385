// Pages show what messages are now, however they were read, and however often before.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { requireValue } from '../../core/require-value.ts';

let chat: Chat;
let ada: TestUser;
let ben: TestUser;
let cleo: TestUser;
let stream_id: number;
beforeAll(async () => {
  chat = await startChat();
  [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  stream_id = await chat.stream('kitchen', { by: ada, members: [ben, cleo] });
});
afterAll(() => chat.close());

const newest = { anchor: 'newest', num_before: 3, num_after: 0, client_gravatar: false } as const;

/** The newest messages on a page, each compared with what is returned for it alone. */
async function checkPage(reader: TestUser) {
  for (const apply_markdown of [true, false]) {
    const { messages } = await reader.api.getMessages({ ...newest, apply_markdown });
    for (const message of messages) {
      const alone = await reader.api.getMessage({ message_id: message.id, apply_markdown });
      expect(message).toEqual(alone.message);
    }
  }
}

describe('a page that was read before shows', () => {
  let message_id: number;
  const change = (params: Omit<Parameters<TestUser['api']['updateMessage']>[0], 'message_id'>) => () =>
    ada.api.updateMessage({ message_id, ...params });

  test.each<[string, () => Promise<unknown>]>([
    ['that it was read', () => ben.api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'read' })],
    ['several flags', () => cleo.api.updateMessageFlags({ messages: [message_id], op: 'add', flag: 'starred' })],
    ['another name of its sender', () => ada.api.updateSettings({ full_name: 'Ada the cook' })],
    ['another name of its stream', () => chat.owner.api.updateStream({ stream_id, new_name: 'larder' })],
    ['another text', change({ content: '**cold**' })],
    ['another topic', change({ topic: 'bread' })],
    ['another topic of all messages', change({ topic: 'cake', propagate_mode: 'change_all' })],
    ['a reaction', () => ben.api.addReaction({ message_id, emoji_name: 'fire' })],
    [
      'links of its topic',
      () => chat.owner.api.addLinkifier({ pattern: 'so(?P<p>up)', url_template: 'https://a.test/{p}' }),
    ],
  ])('%s', async (_, act) => {
    message_id = await chat.message({ from: ada, to: await nameOf(stream_id), topic: 'soup', content: 'hot “é”' });
    for (const reader of [ben, cleo, ben]) await checkPage(reader);
    await act();
    for (const reader of [ben, cleo, ben]) await checkPage(reader);
  });

  const nameOf = async (id: number) =>
    requireValue((await ada.api.getStreams({})).streams.find((stream) => stream.stream_id === id)).name;
});

describe('a page of few messages has long texts', () => {
  test.each([
    [4000, 'of as many bytes as are read with the page'],
    [9000, 'of more bytes'],
  ])('%i characters, %s', async (length) => {
    const long = 'a'.repeat(length);
    await chat.message({ from: ada, to: [ben], content: 'before' });
    const id = await chat.message({ from: ada, to: [ben], content: long });
    await chat.message({ from: ada, to: [ben], content: 'after' });
    const { messages } = await ben.api.getMessages({ ...newest, apply_markdown: false });
    expect(messages.slice(-3).map(({ content }) => content)).toEqual(['before', long, 'after']);
    const { messages: rendered } = await ben.api.getMessages({ ...newest, anchor: id, num_before: 0 });
    expect(rendered.map(({ content }) => content)).toEqual([`<p>${long}</p>`]);
  });

  test('the long ones are read by one statement more, unless there are too many for one', async () => {
    const from = await chat.stream('cellar', { by: ada, members: [ben] });
    const page = () =>
      ben.api.getMessages({ anchor: 'newest', num_before: 40, num_after: 0, narrow: [['stream', from]] });
    await chat.message({ from: ada, to: 'cellar', content: 'short' });
    const short = await chat.statements(page);
    await chat.message({ from: ada, to: 'cellar', content: 'a'.repeat(9000) });
    expect(await chat.statements(page)).toBe(short + 1);
    for (let n = 0; n < 30; n++) await chat.message({ from: ada, to: 'cellar', content: 'a'.repeat(9500) });
    const { messages } = await page();
    // The first is the notice about the new stream.
    expect(messages.slice(1).map(({ content }) => content.length)).toEqual([12, 9007, ...Array(30).fill(9507)]);
  });
});
