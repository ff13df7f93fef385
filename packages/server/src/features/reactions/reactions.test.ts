import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { picture } from '../../../test/pictures.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
async function customEmoji(by: TestUser): Promise<{ name: string; id: string }> {
  const name = `soup${made++}`;
  await by.api.uploadCustomEmoji({ name, file: await picture() });
  const items = Object.values((await by.api.getCustomEmoji()).emoji);
  return { name, id: items.find((one) => one.name === name && !one.deactivated)?.id ?? '' };
}
async function directMessage(...names: string[]) {
  const users = await Promise.all(names.map((name) => chat.user(name)));
  const [from, ...to] = users as [TestUser, ...TestUser[]];
  return { users, message_id: await chat.message({ from, to }) };
}
const reactionsOf = async ({ api }: TestUser, message_id: number) =>
  (await api.getMessage({ message_id })).message.reactions;

test('all users who can see the message receive a reaction, and its removal', async () => {
  const { users, message_id } = await directMessage('ada', 'ben');
  const [ada, ben] = users as [TestUser, TestUser];
  const cleo = await chat.user('cleo');
  await ben.api.addReaction({ message_id, emoji_name: 'octopus' });
  await ben.api.removeReaction({ message_id, emoji_code: '1f419' });
  const octopus = {
    type: 'reaction',
    message_id,
    emoji_name: 'octopus',
    emoji_code: '1f419',
    reaction_type: 'unicode_emoji',
    user_id: ben.id,
    user: { user_id: ben.id, email: ben.email, full_name: ben.full_name },
  };
  for (const person of [ada, ben]) {
    expect(await person.takeEvents('reaction')).toEqual([
      { id: expect.any(Number), op: 'add', ...octopus },
      { id: expect.any(Number), op: 'remove', ...octopus },
    ]);
  }
  expect(await cleo.takeEvents('reaction')).toEqual([]);
});

test('a message has its reactions, oldest first, alone and in a page', async () => {
  const { users, message_id } = await directMessage('ada', 'ben');
  const [ada, ben] = users as [TestUser, TestUser];
  await ben.api.addReaction({ message_id, emoji_name: 'tada' });
  await ada.api.addReaction({ message_id, emoji_name: 'parley' });
  await ada.api.addReaction({ message_id, emoji_name: 'tada' });
  const by = ({ id, email, full_name }: TestUser) => ({ user_id: id, user: { id, email, full_name } });
  const tada = { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' };
  const parley = { emoji_name: 'parley', emoji_code: 'parley', reaction_type: 'service_extra_emoji' };
  const shown = [
    { ...tada, ...by(ben) },
    { ...parley, ...by(ada) },
    { ...tada, ...by(ada) },
  ];
  expect(await reactionsOf(ada, message_id)).toEqual(shown);
  const { messages } = await ben.api.getMessages({ anchor: message_id, num_before: 0, num_after: 0 });
  expect(messages.map(({ reactions }) => reactions)).toEqual([shown]);
});

test('a page of messages takes the same few statements for any number of reactions', async () => {
  const { users, message_id } = await directMessage('ada', 'ben');
  const [ada, ben] = users as [TestUser, TestUser];
  const page = () => chat.statements(() => ada.api.getMessages({ anchor: message_id, num_before: 5, num_after: 5 }));
  const before = await page();
  for (const emoji_name of ['heart', 'tada', 'eyes']) await ben.api.addReaction({ message_id, emoji_name });
  expect(await page()).toBe(before);
});

test('reacting takes a small number of statements, whatever the history of the message', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.stream('counting', { by: ada, members: [ben] });
  const message_id = await chat.message({ from: ada, to: 'counting' });
  const react = (person: TestUser, emoji_name: string) =>
    chat.statements(() => person.api.addReaction({ message_id, emoji_name }));
  const first = await react(ben, 'heart');
  for (const emoji_name of ['tada', 'eyes', 'car']) await ada.api.addReaction({ message_id, emoji_name });
  expect(await react(ben, 'rocket')).toBe(first);
  expect(first).toBeLessThanOrEqual(14);
});

// shows: 4.7.4
test('the responses to adding and removing a reaction have only success', async () => {
  const { users, message_id } = await directMessage('ada', 'ben');
  const [ada] = users as [TestUser, TestUser];
  expect(await ada.api.addReaction({ message_id, emoji_name: 'octopus' })).toEqual({});
  expect(await ada.api.removeReaction({ message_id, emoji_name: 'octopus' })).toEqual({});
});

describe('adding', () => {
  test('an emoji twice fails, under any of its names, and is emitted once', async () => {
    const { users, message_id } = await directMessage('ada', 'ben');
    const [ada, ben] = users as [TestUser, TestUser];
    await ben.api.addReaction({ message_id, emoji_name: '+1' });
    for (const emoji_name of ['+1', 'thumbs_up']) {
      await expectError('REACTION_ALREADY_EXISTS', ben.api.addReaction({ message_id, emoji_name }));
    }
    expect(await ada.takeEvents('reaction')).toHaveLength(1);
  });

  test('an emoji that the message has keeps the name of its first reaction', async () => {
    const { users, message_id } = await directMessage('ada', 'ben', 'cleo');
    const [ada, ben, cleo] = users as [TestUser, TestUser, TestUser];
    await ada.api.addReaction({ message_id, emoji_name: 'thumbs_up' });
    await ben.api.addReaction({ message_id, emoji_name: '+1' });
    expect((await reactionsOf(ada, message_id)).map((one) => one.emoji_name)).toEqual(['thumbs_up', 'thumbs_up']);
    expect((await cleo.takeEvents('reaction')).map((one) => one.emoji_name)).toEqual(['thumbs_up', 'thumbs_up']);
  });

  test('the same emoji under two names concurrently gives all reactions one name', async () => {
    const { users, message_id } = await directMessage('ada', 'ben', 'cleo', 'dan');
    const names = ['+1', 'thumbs_up', '+1', 'thumbs_up'];
    await Promise.all(users.map(({ api }, n) => api.addReaction({ message_id, emoji_name: names[n] ?? '' })));
    const shown = await reactionsOf(users[0] as TestUser, message_id);
    expect(new Set(shown.map((one) => one.emoji_name)).size).toBe(1);
    expect(new Set(shown.map((one) => one.user_id))).toEqual(new Set(users.map(({ id }) => id)));
    expect(shown).toHaveLength(4);
    expect(await (users[0] as TestUser).takeEvents('reaction')).toHaveLength(4);
  });

  test('one reaction of several clients of a user concurrently adds it once', async () => {
    const { users, message_id } = await directMessage('ada', 'ben');
    const [ada, ben] = users as [TestUser, TestUser];
    const add = () => ben.api.addReaction({ message_id, emoji_name: 'heart' });
    const outcomes = await Promise.allSettled([add(), add(), add()]);
    const errorResponses = outcomes.filter(({ status }) => status === 'rejected');
    expect(errorResponses).toMatchObject([
      { reason: { code: 'REACTION_ALREADY_EXISTS' } },
      { reason: { code: 'REACTION_ALREADY_EXISTS' } },
    ]);
    expect(await reactionsOf(ada, message_id)).toHaveLength(1);
  });

  test.each([
    ['an unknown name', { emoji_name: 'gruel' }, /"gruel"/],
    ['an empty name', { emoji_name: '' }, /emoji_name/],
    ['the code of another emoji', { emoji_name: 'heart', emoji_code: '1f44d' }, /"1f44d"/],
    ['a type that it does not have', { emoji_name: 'heart', reaction_type: 'realm_emoji' as const }, /"heart"/],
    ['an unknown type', { emoji_name: 'heart', reaction_type: 'gif' as never }, /reaction_type/],
  ])('%s fails, and no event is emitted', async (_case, query, msg) => {
    const { users, message_id } = await directMessage('ada', 'ben');
    const [ada, ben] = users as [TestUser, TestUser];
    await expectError('BAD_REQUEST', ben.api.addReaction({ message_id, ...query }), msg);
    expect(await ada.takeEvents('reaction')).toEqual([]);
    expect(await reactionsOf(ada, message_id)).toEqual([]);
  });

  // shows: 2.38
  test('a name means a custom emoji before a Unicode emoji, which can still be used with its type', async () => {
    const { users, message_id } = await directMessage('ada', 'ben');
    const [ada] = users as [TestUser, TestUser];
    await chat.owner.api.uploadCustomEmoji({ name: 'palm_tree', file: await picture() });
    await ada.api.addReaction({ message_id, emoji_name: 'palm_tree' });
    await ada.api.addReaction({ message_id, emoji_name: 'palm_tree', reaction_type: 'unicode_emoji' });
    expect((await reactionsOf(ada, message_id)).map((one) => one.reaction_type)).toEqual([
      'realm_emoji',
      'unicode_emoji',
    ]);
    await chat.owner.api.deactivateCustomEmoji({ name: 'palm_tree' });
  });

  test('a removed custom emoji fails, even with its code', async () => {
    const { users, message_id } = await directMessage('ada', 'ben');
    const [ada, ben] = users as [TestUser, TestUser];
    const { name, id } = await customEmoji(ada);
    await ada.api.addReaction({ message_id, emoji_name: name });
    await ada.api.deactivateCustomEmoji({ name });
    const again = { message_id, emoji_name: name, emoji_code: id, reaction_type: 'realm_emoji' as const };
    await expectError('BAD_REQUEST', ben.api.addReaction(again), new RegExp(name));
    expect(await reactionsOf(ben, message_id)).toMatchObject([{ emoji_name: name, emoji_code: id }]);
  });
});

describe('removing', () => {
  // shows: 4.7.6, 7.20, 9.8
  test("another user's reaction is REACTION_DOES_NOT_EXIST, and that reaction stays", async () => {
    const { users, message_id } = await directMessage('ada', 'ben');
    const [ada, ben] = users as [TestUser, TestUser];
    await ada.api.addReaction({ message_id, emoji_name: 'heart' });
    await expectError('REACTION_DOES_NOT_EXIST', ben.api.removeReaction({ message_id, emoji_name: 'heart' }));
    expect(await reactionsOf(ben, message_id)).toHaveLength(1);
    expect(await ben.takeEvents('reaction')).toHaveLength(1);
  });

  test('of two concurrent removals one succeeds, and the other fails', async () => {
    const { users, message_id } = await directMessage('ada', 'ben');
    const [ada, ben] = users as [TestUser, TestUser];
    await ben.api.addReaction({ message_id, emoji_name: 'heart' });
    const remove = () => ben.api.removeReaction({ message_id, emoji_name: 'heart' });
    const outcomes = await Promise.allSettled([remove(), remove()]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await ada.takeEvents('reaction')).map(({ op }) => op)).toEqual(['add', 'remove']);
  });

  // shows: 4.7.3
  test('by its code works after the emoji was removed and another has its name; the event has the stored name', async () => {
    const { users, message_id } = await directMessage('ada', 'ben');
    const [ada, ben] = users as [TestUser, TestUser];
    const { name, id } = await customEmoji(ada);
    await ben.api.addReaction({ message_id, emoji_name: name });
    await ada.api.deactivateCustomEmoji({ name });
    await expectError('BAD_REQUEST', ben.api.removeReaction({ message_id, emoji_name: name }), new RegExp(name));
    await ada.api.uploadCustomEmoji({ name, file: await picture() });
    await expectError('REACTION_DOES_NOT_EXIST', ben.api.removeReaction({ message_id, emoji_name: name }));
    await ben.api.removeReaction({ message_id, emoji_name: 'other', emoji_code: id, reaction_type: 'realm_emoji' });
    expect((await ada.takeEvents('reaction')).at(-1)).toMatchObject({ op: 'remove', emoji_name: name, emoji_code: id });
  });

  test('emits the name under which the reaction was stored', async () => {
    const { users, message_id } = await directMessage('ada', 'ben');
    const [ada, ben] = users as [TestUser, TestUser];
    await ada.api.addReaction({ message_id, emoji_name: 'thumbs_up' });
    await ben.api.addReaction({ message_id, emoji_name: '+1' });
    await ben.api.removeReaction({ message_id, emoji_name: '+1' });
    expect((await ada.takeEvents('reaction')).at(-1)).toMatchObject({
      op: 'remove',
      emoji_name: 'thumbs_up',
      user_id: ben.id,
    });
  });

  // shows: 4.7.5 [a code that no emoji has], 7.11 [a code that no emoji has]
  test.each([
    ['neither name nor code', {}, /emoji_name.*emoji_code/],
    ['an unknown name', { emoji_name: 'gruel' }, /"gruel"/],
    ['a code that no emoji has', { emoji_code: 'gruel' }, /"gruel"/],
    ['an id of no custom emoji', { emoji_code: '999999', reaction_type: 'realm_emoji' as const }, /"999999"/],
    ['an unknown type', { emoji_code: '2764', reaction_type: 'gif' as never }, /reaction_type/],
  ])('%s fails', async (_case, query, msg) => {
    const { users, message_id } = await directMessage('ada', 'ben');
    const [ada] = users as [TestUser, TestUser];
    await ada.api.addReaction({ message_id, emoji_name: 'heart' });
    await expectError('BAD_REQUEST', ada.api.removeReaction({ message_id, ...query }), msg);
    expect(await reactionsOf(ada, message_id)).toHaveLength(1);
  });

  test('the message is checked before the emoji', async () => {
    const [ada] = await chat.users('ada');
    await expectError('BAD_REQUEST', ada.api.removeReaction({ message_id: 987_654 }), /987654/);
    await expectError('BAD_REQUEST', ada.api.addReaction({ message_id: 987_654, emoji_name: 'gruel' }), /987654/);
  });
});
