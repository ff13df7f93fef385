import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';
import { picture } from '../../../test/pictures.ts';

let chat: Chat;
let ada: TestUser;
beforeAll(async () => {
  chat = await startChat();
  ada = await chat.user('ada', { mirrored: false });
  await chat.stream('kitchen', { by: ada });
});
afterAll(() => chat.close());

const send = (content: string) => chat.message({ from: ada, to: 'kitchen', content });
async function rendered(content: string): Promise<string> {
  return (await ada.api.getMessage({ message_id: await send(content) })).message.content;
}
async function customEmoji(name: string): Promise<string> {
  await chat.owner.api.uploadCustomEmoji({ name, file: await picture() });
  const items = Object.values((await ada.api.getCustomEmoji()).emoji);
  return items.find((one) => one.name === name && !one.deactivated)?.id ?? '';
}
const image = (name: string, path: string) => `<img class="emoji" alt=":${name}:" title="${name}" src="${path}">`;
const span = (name: string, code: string) =>
  `<span aria-label="${name}" class="emoji emoji-${code}" role="img" title="${name}">:${name}:</span>`;

test('a name between colons is rendered as an emoji', async () => {
  expect(await rendered('Soup :tada: :+1::heart:')).toBe(
    `<p>Soup ${span('tada', '1f389')} ${span('+1', '1f44d')}${span('heart', '2764')}</p>`,
  );
});

test('an unknown name stays text, and so does one in code or in another case', async () => {
  expect(await rendered(':gruel: `:tada:` :TADA: 10:30:45')).toBe('<p>:gruel: <code>:tada:</code> :TADA: 10:30:45</p>');
});

test("the server's own emoji is rendered as a picture", async () => {
  expect(await rendered(':parley:')).toBe(`<p>${image('parley', '/emoji/parley')}</p>`);
});

test('a custom emoji is rendered as a picture, overrides a Unicode emoji, and stays in old messages when removed', async () => {
  const id = await customEmoji('rocket');
  const message_id = await send(':rocket:');
  const content = async () => (await ada.api.getMessage({ message_id })).message.content;
  expect(await content()).toBe(`<p>${image('rocket', `/emoji/${id}`)}</p>`);
  await chat.owner.api.deactivateCustomEmoji({ name: 'rocket' });
  expect(await content()).toBe(`<p>${image('rocket', `/emoji/${id}`)}</p>`);
  expect(await rendered(':rocket:')).toBe(`<p>${span('rocket', '1f680')}</p>`);
});

test('custom emoji of another organization are not rendered', async () => {
  const { owner } = await chat.otherRealm('elsewhere');
  await owner.api.uploadCustomEmoji({ name: 'theirs', file: await picture() });
  expect(await rendered(':theirs:')).toBe('<p>:theirs:</p>');
});

test('emoji cost a message one statement, for any number, and none when there are no emoji', async () => {
  await customEmoji('stock');
  const cost = (content: string) => chat.statements(() => send(content));
  const without = await cost('soup: hot');
  expect(await cost(':stock:')).toBe(without + 1);
  expect(await cost(':stock: :tada: :gruel: :parley: :stock:')).toBe(without + 1);
  expect(await cost('10:30')).toBe(without);
});
