// Permissions to move messages, and the streams they can be moved to
// (docs/behaviour/messages.md#order-of-checks-when-editing, checks 1, 9 and 12).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { createRoom, PROTECTED, post, type Room, rowsOf, SHARED } from '../../../test/rooms.ts';

type Who = 'guest' | 'newcomer' | 'full member' | 'moderator' | 'admin' | 'owner';
const everyone: readonly Who[] = ['guest', 'newcomer', 'full member', 'moderator', 'admin', 'owner'];

let chat: Chat;
let here: Room;
let there: Room;
let users: Record<Who, TestUser>;
const set = (settings: object) => chat.owner.api.updateRealm(settings);
const quietly = { mirrored: false } as const;

beforeAll(async () => {
  chat = await startChat();
  const full = await chat.user('fred', quietly);
  chat.clock.advance({ days: 4 });
  await set({ waiting_period_threshold: 3, move_messages_between_streams_policy: 1 });
  users = {
    guest: await chat.user('gus', { role: 'guest', ...quietly }),
    newcomer: await chat.user('nina', quietly),
    'full member': full,
    moderator: await chat.user('mo', { role: 'moderator', ...quietly }),
    admin: await chat.user('iago', { role: 'admin', ...quietly }),
    owner: chat.owner,
  };
  const all = [chat.owner, ...Object.values(users)] as const;
  here = await createRoom(chat, all);
  there = await createRoom(chat, all);
});
afterAll(() => chat.close());

// shows: 4.4.17
test.each([
  [1, 'members', ['newcomer', 'full member', 'moderator', 'admin', 'owner']],
  [2, 'administrators', ['admin', 'owner']],
  [3, 'full members', ['full member', 'moderator', 'admin', 'owner']],
  [4, 'moderators', ['moderator', 'admin', 'owner']],
  [5, 'everyone, guests too', everyone],
  [6, 'nobody', []],
] as const)('under edit_topic_policy %d %s can change topics', async (edit_topic_policy, _who, allowed) => {
  await set({ edit_topic_policy });
  for (const who of everyone) {
    // The message is their own: having sent it gives no permission.
    const message_id = await post(users[who], here);
    const change = users[who].api.updateMessage({ message_id, topic: 'stew' });
    if ((allowed as readonly Who[]).includes(who)) await change;
    else await expectError('BAD_REQUEST', change, /permission to change topics/);
  }
  await set({ edit_topic_policy: 5 });
});

// shows: 4.4.18
test.each([
  [1, 'members', ['newcomer', 'full member', 'moderator', 'admin', 'owner']],
  [2, 'administrators', ['admin', 'owner']],
  [3, 'full members', ['full member', 'moderator', 'admin', 'owner']],
  [4, 'moderators', ['moderator', 'admin', 'owner']],
  [6, 'nobody', []],
] as const)('under move_messages_between_streams_policy %d %s can move messages', async (policy, _who, allowed) => {
  await set({ move_messages_between_streams_policy: policy });
  for (const who of everyone) {
    const message_id = await post(users[who], here);
    const change = users[who].api.updateMessage({ message_id, stream_id: there.id });
    if ((allowed as readonly Who[]).includes(who)) await change;
    else await expectError('BAD_REQUEST', change, /permission to move messages between streams/);
  }
  await set({ move_messages_between_streams_policy: 1 });
});

test('a change of stream and topic needs both permissions, a change of stream alone only its own', async () => {
  const { newcomer } = users;
  const message_id = await post(newcomer, here);
  const change = (to: object) => newcomer.api.updateMessage({ message_id, ...to });
  await set({ edit_topic_policy: 2 });
  await expectError('BAD_REQUEST', change({ stream_id: there.id, topic: 'stew' }), /topic/);
  await change({ stream_id: there.id });
  await set({ edit_topic_policy: 5, move_messages_between_streams_policy: 2 });
  await expectError('BAD_REQUEST', change({ stream_id: here.id, topic: 'stew' }), /stream_id/);
  await change({ topic: 'stew' });
  await set({ move_messages_between_streams_policy: 1 });
});

test('users who can move messages can move those of others', async () => {
  const message_id = await post(users.guest, here);
  await users.newcomer.api.updateMessage({ message_id, topic: 'stew', stream_id: there.id });
  expect(await rowsOf(users.newcomer, there)).toContainEqual(['stew', message_id]);
});

test('a message that the user cannot read cannot be moved and is reported as unknown', async () => {
  const hidden = await createRoom(chat, [users.newcomer], SHARED);
  const message_id = await post(users.newcomer, hidden);
  const { admin } = users;
  const unknown = 4_000_000;
  for (const to of [{ topic: 'stew' }, { stream_id: here.id }, { stream_id: hidden.id }]) {
    const one = await expectError(
      'BAD_REQUEST',
      admin.api.updateMessage({ message_id, ...to }),
      new RegExp(`${message_id}`),
    );
    const other = await expectError('BAD_REQUEST', admin.api.updateMessage({ message_id: unknown, ...to }));
    expect(one.msg.replace(String(message_id), '')).toBe(other.msg.replace(String(unknown), ''));
  }
  expect(await rowsOf(users.newcomer, hidden)).toEqual([['soup', message_id]]);
});

test('a user who has left a private stream can no longer move its messages, nor their own ones there', async () => {
  const { newcomer, moderator } = users;
  const hidden = await createRoom(chat, [newcomer, moderator], SHARED);
  const message_id = await post(moderator, hidden);
  await moderator.api.unsubscribe({ subscriptions: [hidden.name] });
  await expectError('BAD_REQUEST', moderator.api.updateMessage({ message_id, topic: 'stew' }), /no message/);
  await expectError('BAD_REQUEST', moderator.api.updateMessage({ message_id, stream_id: here.id }), /no message/);
  expect(await rowsOf(newcomer, hidden)).toEqual([['soup', message_id]]);
});

test('messages of another organization cannot be moved, nor messages into one of its streams', async () => {
  const { owner } = await chat.otherRealm('elsewhere');
  const theirs = await chat.stream('their room', { by: owner });
  const ours = await post(users.owner, here);
  const foreign = await chat.message({ from: owner, to: 'their room' });
  await expectError('BAD_REQUEST', owner.api.updateMessage({ message_id: ours, topic: 'stew' }), /no message/);
  await expectError('BAD_REQUEST', owner.api.updateMessage({ message_id: ours, stream_id: theirs }), /no message/);
  await expectError('BAD_REQUEST', users.owner.api.updateMessage({ message_id: foreign, topic: 'stew' }), /no message/);
  await expectError('BAD_REQUEST', users.owner.api.updateMessage({ message_id: ours, stream_id: theirs }), /no stream/);
  await expectError('BAD_REQUEST', owner.api.updateMessage({ message_id: foreign, stream_id: here.id }), /no stream/);
  expect(await rowsOf(users.owner, here)).toContainEqual(['soup', ours]);
});

/** Moves a new message of a user; an error names the stream. */
async function tries(person: TestUser, to: Room, names: RegExp | undefined, from = here): Promise<void> {
  const message_id = await post(person, from);
  const change = person.api.updateMessage({ message_id, stream_id: to.id });
  if (names) await expectError('BAD_REQUEST', change, names);
  else await change;
  const rows = await rowsOf(person, names ? from : to);
  expect(rows).toContainEqual(['soup', message_id]);
}

test('the new stream must exist', async () => {
  const archived = await createRoom(chat, [users.owner]);
  await chat.owner.api.archiveStream({ stream_id: archived.id });
  const never = { id: 8_000_000, name: 'never' };
  const hidden = await createRoom(chat, [users.newcomer], PROTECTED);
  const message_id = await post(users.admin, here);
  const answers = await Promise.all(
    [archived, never, hidden].map(async ({ id }) => {
      const call = users.admin.api.updateMessage({ message_id, stream_id: id });
      return (await expectError('BAD_REQUEST', call, new RegExp(`${id}`))).msg.replace(`${id}`, '');
    }),
  );
  expect(new Set(answers).size).toBe(1);
  await expectError(
    'BAD_REQUEST',
    users.admin.api.updateMessage({ message_id, stream_id: archived.id, topic: 'stew' }),
  );
});

test('messages can be moved to a private stream by its subscribers only, not by other administrators', async () => {
  for (const kind of [SHARED, PROTECTED]) {
    const hidden = await createRoom(chat, [users.newcomer], kind);
    await tries(users.newcomer, hidden, undefined);
    for (const outsider of [users['full member'], users.moderator, users.admin, chat.owner])
      await tries(outsider, hidden, /stream_id: there is no stream/);
  }
});

test('messages can be moved to a public stream without a subscription', async () => {
  await tries(users.newcomer, await createRoom(chat, [users.owner]), undefined);
});

test.each([
  [2, ['admin', 'owner'], /administrators/],
  [3, ['full member', 'moderator', 'admin', 'owner'], /full members/],
  [4, ['moderator', 'admin', 'owner'], /moderators/],
] as const)(
  'where stream_post_policy is %d, messages can be moved by %j',
  async (stream_post_policy, allowed, names) => {
    const to = await createRoom(chat, [users.owner], { stream_post_policy });
    for (const who of everyone.filter((one) => one !== 'guest'))
      await tries(users[who], to, (allowed as readonly Who[]).includes(who) ? undefined : names);
  },
);

test('the posting policy of the old stream does not matter', async () => {
  const closed = await createRoom(chat, [users.owner, users.newcomer], { stream_post_policy: 2 });
  const message_id = await post(users.owner, closed);
  await users.newcomer.api.updateMessage({ message_id, topic: 'stew' });
  await users.newcomer.api.updateMessage({ message_id, stream_id: here.id });
  expect(await rowsOf(users.newcomer, here)).toContainEqual(['stew', message_id]);
});

test('a bot can move messages to streams where it or its owner can post', async () => {
  const bot = await chat.user('bot', { bot_of: users.admin, ...quietly });
  const closed = await createRoom(chat, [users.owner], { stream_post_policy: 2 });
  await tries(bot, closed, undefined);
  const stray = await chat.user('stray', { bot_of: users.newcomer, ...quietly });
  await tries(stray, closed, /administrators/);
  await tries(stray, await createRoom(chat, [users.admin], SHARED), /no stream/);
});

test('a bot can move messages into the private stream of its owner, though it cannot read them there', async () => {
  const bot = await chat.user('bot', { bot_of: users.newcomer, ...quietly });
  const hidden = await createRoom(chat, [users.newcomer], SHARED);
  const message_id = await post(bot, here);
  await bot.api.updateMessage({ message_id, stream_id: hidden.id });
  await expectError('BAD_REQUEST', bot.api.getMessage({ message_id }), /no message/);
  expect(await rowsOf(users.newcomer, hidden)).toEqual([['soup', message_id]]);
});
