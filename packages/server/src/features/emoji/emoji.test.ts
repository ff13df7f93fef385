import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { picture } from '../../../test/pictures.ts';

let chat: Chat;
let file: Blob;
beforeAll(async () => {
  chat = await startChat();
  file = await picture();
});
afterAll(() => chat.close());

let made = 0;
const newName = () => `soup${made++}`;
const listed = async ({ api }: TestUser) => (await api.getCustomEmoji()).emoji;
const idOf = async (person: TestUser, name: string) =>
  Object.values(await listed(person)).find((one) => one.name === name && !one.deactivated)?.id ?? '';

test('a new emoji is available to all users, at once and after the next registration', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = newName();
  await ada.api.uploadCustomEmoji({ name, file });
  const emoji = await listed(ben);
  const id = await idOf(ben, name);
  expect(emoji[id]).toEqual({
    id,
    name,
    source_url: `/emoji/${id}`,
    still_url: null,
    deactivated: false,
    author_id: ada.id,
  });
  expect(await ben.takeEvents('realm_emoji')).toEqual([
    { id: expect.any(Number), type: 'realm_emoji', op: 'update', realm_emoji: emoji },
  ]);
  const { realm_emoji } = await ben.api.registerQueue({ fetch_event_types: ['realm_emoji'] });
  expect(realm_emoji).toEqual(emoji);
});

test('a removed emoji stays in the list as deactivated, and its name can be used again', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = newName();
  await ada.api.uploadCustomEmoji({ name, file });
  const id = await idOf(ada, name);
  await ada.api.deactivateCustomEmoji({ name });
  expect((await listed(ben))[id]).toMatchObject({ name, deactivated: true });
  expect((await ben.takeEvents('realm_emoji')).at(-1)?.realm_emoji[id]).toMatchObject({ deactivated: true });
  await expectError('BAD_REQUEST', ada.api.deactivateCustomEmoji({ name }), new RegExp(name));
  await ben.api.uploadCustomEmoji({ name, file });
  expect(await idOf(ada, name)).not.toBe(id);
});

test('of two concurrent uploads with one name, one adds the emoji and the other fails', async () => {
  const users = await chat.users('ada', 'ben', 'cleo');
  const name = newName();
  const outcomes = await Promise.allSettled(users.map(({ api }) => api.uploadCustomEmoji({ name, file })));
  const errorResponses = outcomes.filter(({ status }) => status === 'rejected');
  expect(errorResponses).toHaveLength(2);
  for (const errorResponse of errorResponses)
    expect(errorResponse).toMatchObject({ reason: { status: 400, code: 'BAD_REQUEST' } });
});

test('after several concurrent changes the last event has all emoji', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const names = Array.from({ length: 6 }, newName);
  await Promise.all(names.map((name, n) => (n % 2 ? ada : ben).api.uploadCustomEmoji({ name, file })));
  await Promise.all(names.slice(0, 3).map((name) => chat.owner.api.deactivateCustomEmoji({ name })));
  expect((await ada.takeEvents('realm_emoji')).at(-1)?.realm_emoji).toEqual(await listed(ada));
});

test.each(['', 'Soup', 'soup_', 'soup-', 'so up', 'süppchen', '../soup', 'parley', 'x'.repeat(101)])(
  'the name %j fails, and no event is emitted',
  async (name) => {
    const [ada] = await chat.users('ada');
    const call = ada.api.uploadCustomEmoji({ name, file });
    if (name === '') await expect(call).rejects.toMatchObject({ status: 404 });
    else await expectError('BAD_REQUEST', call, /^name:/);
    expect(await ada.takeEvents('realm_emoji')).toEqual([]);
  },
);

test('only administrators can override a Unicode emoji', async () => {
  const [ada] = await chat.users('ada');
  const iago = await chat.user('iago', { role: 'admin' });
  await expectError('BAD_REQUEST', ada.api.uploadCustomEmoji({ name: 'octopus', file }), /"octopus".*administrators/);
  await iago.api.uploadCustomEmoji({ name: 'octopus', file });
  await expectError('BAD_REQUEST', iago.api.uploadCustomEmoji({ name: 'octopus', file }), /"octopus"/);
  await iago.api.deactivateCustomEmoji({ name: 'octopus' });
});

test('add_custom_emoji_policy decides who can add emoji', async () => {
  const [ada] = await chat.users('ada');
  const guest = await chat.user('gus', { role: 'guest' });
  const moderator = await chat.user('mo', { role: 'moderator' });
  const bot = await chat.user('bo', { bot_of: ada });
  await expectError('BAD_REQUEST', guest.api.uploadCustomEmoji({ name: newName(), file }), /permission/);
  await bot.api.uploadCustomEmoji({ name: newName(), file });
  await chat.owner.api.updateRealm({ add_custom_emoji_policy: 4 });
  await expectError('BAD_REQUEST', ada.api.uploadCustomEmoji({ name: newName(), file }), /permission/);
  await moderator.api.uploadCustomEmoji({ name: newName(), file });
  await chat.owner.api.updateRealm({ add_custom_emoji_policy: 1 });
});

test('an emoji can be removed by the user who added it, and by administrators', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const moderator = await chat.user('mo', { role: 'moderator' });
  const iago = await chat.user('iago', { role: 'admin' });
  const [own, others] = [newName(), newName()];
  await ada.api.uploadCustomEmoji({ name: own, file });
  await ada.api.uploadCustomEmoji({ name: others, file });
  await expectError('BAD_REQUEST', ben.api.deactivateCustomEmoji({ name: own }), new RegExp(own));
  await expectError('BAD_REQUEST', moderator.api.deactivateCustomEmoji({ name: own }), new RegExp(own));
  await ada.api.deactivateCustomEmoji({ name: own });
  await iago.api.deactivateCustomEmoji({ name: others });
});

test('another organization has its own emoji', async () => {
  const [ada] = await chat.users('ada');
  const name = newName();
  await ada.api.uploadCustomEmoji({ name, file });
  const other = await chat.otherRealm('elsewhere');
  const fay = await chat.user('fay', { realm: other.realm });
  expect(await listed(fay)).toEqual({});
  await expectError('BAD_REQUEST', other.owner.api.deactivateCustomEmoji({ name }), new RegExp(name));
  await fay.api.uploadCustomEmoji({ name, file });
  expect(Object.values(await listed(fay))).toMatchObject([{ name, author_id: fay.id }]);
  expect(await ada.takeEvents('realm_emoji')).toHaveLength(1);
});
