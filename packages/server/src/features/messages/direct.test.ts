import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import { deactivateUser } from '../user-admin/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

test('recipients are named by ids, by addresses in any case, or by comma-separated addresses', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const ways = [[ben.id, cleo.id], [ben.email.toUpperCase(), cleo.email], `${ben.email}, ${cleo.email}`];
  for (const to of ways) await ada.api.sendMessage({ type: 'direct', to: to as string[], content: 'hi' });
  const heard = await cleo.takeEvents('message');
  expect(heard).toHaveLength(3);
  expect(new Set(heard.map(({ message }) => message.recipient_id)).size).toBe(1);
  await ada.api.sendMessage({ type: 'private', to: ben.id as never, content: 'hi' });
  expect((await ben.takeEvents('message')).at(-1)?.message.display_recipient).toHaveLength(2);
});

test('duplicates and the sender are removed: the same users always have one conversation', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await ada.api.sendMessage({ type: 'direct', to: [ben.id, ben.id, ada.id], content: 'hi' });
  await ben.api.sendMessage({ type: 'direct', to: [ada.id], content: 'ho' });
  const heard = await ada.takeEvents('message');
  expect(new Set(heard.map(({ message }) => message.recipient_id)).size).toBe(1);
  expect(heard[0]?.message.display_recipient).toEqual(
    [ada, ben].map(({ id, email, full_name }) => ({ id, email, full_name, is_mirror_dummy: false })),
  );
});

test('a message to the sender alone is valid', async () => {
  const [ada] = await chat.users('ada');
  const { id } = await ada.api.sendMessage({ type: 'direct', to: [ada.id], content: 'note' });
  expect(await ada.takeEvents('message')).toMatchObject([
    { message: { id, type: 'private', display_recipient: [{ id: ada.id }] } },
  ]);
});

// shows: 7.3
test('the error names unknown and deactivated recipients, and nothing is sent', async () => {
  const [ada, ben, deactivated] = await chat.users('ada', 'ben', 'gone');
  await chat.act((ctx) => deactivateUser(ctx, deactivated.id));
  const send = (to: number[] | string) => ada.api.sendMessage({ type: 'direct', to, content: 'hi' });
  await expectError('BAD_REQUEST', send([ben.id, 987_654]), /987654/);
  await expectError('BAD_REQUEST', send(`${ben.email},nobody@example.com`), /nobody@example\.com/);
  await expectError('BAD_REQUEST', send([ben.id, deactivated.id]), new RegExp(`${deactivated.id}.*deactivated`));
  await expectError('BAD_REQUEST', send([]), /recipient/);
  await expectError('BAD_REQUEST', send(' , '), /recipient/);
  await expectError(
    'BAD_REQUEST',
    ada.api.sendMessage({ type: 'direct', to: [ben.id, 'x@y.z'] as never, content: 'hi' }),
    /to/,
  );
  expect(await ben.takeEvents('message')).toEqual([]);
});

test('blank content fails in direct messages too, and a topic is ignored', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await expectError('BAD_REQUEST', ada.api.sendMessage({ type: 'direct', to: [ben.id], content: ' ' }), /content/);
  await ada.api.sendMessage({ type: 'direct', to: [ben.id], topic: 'x'.repeat(99) as never, content: 'hi' });
  expect(await ben.takeEvents('message')).toMatchObject([{ message: { subject: '', topic_links: [] } }]);
});

test('users who concurrently write to each other for the first time share one conversation', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const sent = await Promise.all(
    [1, 2, 3, 4].map((n) => chat.message({ from: n % 2 ? ada : ben, to: [n % 2 ? ben : ada] })),
  );
  const heard = await ada.takeEvents('message');
  expect(heard.map(({ message }) => message.id).sort()).toEqual(sent.sort());
  expect(new Set(heard.map(({ message }) => message.recipient_id)).size).toBe(1);
});

test('where direct messages are disabled only bots can be recipients', async () => {
  const strict = await startChat();
  try {
    const [ada, ben] = await strict.users('ada', 'ben');
    const robot = await strict.user('robot', { bot_of: ben });
    await strict.owner.api.updateRealm({ private_message_policy: 2 });
    const send = (to: number[]) => ada.api.sendMessage({ type: 'direct', to, content: 'hi' });
    await expectError('BAD_REQUEST', send([ben.id]), /[Dd]irect messages are disabled/);
    await expectError('BAD_REQUEST', send([ben.id, robot.id]), /disabled/);
    expect(await send([robot.id])).toMatchObject({ id: expect.any(Number) });
  } finally {
    await strict.close();
  }
});

test('a guest with limited visibility can write only to users they can see', async () => {
  const small = await startChat();
  try {
    const [ada, ben] = await small.users('ada', 'ben');
    const guest = await small.user('gus', { role: 'guest', mirrored: false });
    await small.stream('lobby', { by: ada, members: [guest] });
    const { user_groups } = await small.owner.api.getUserGroups();
    const members = user_groups.find(({ name }) => name === 'role:members')?.id ?? 0;
    await small.owner.api.updateRealm({ can_access_all_users_group: members });
    await expectError(
      'BAD_REQUEST',
      guest.api.sendMessage({ type: 'direct', to: [ben.id], content: 'hi' }),
      new RegExp(`no user ${ben.id}`),
    );
    expect(await guest.api.sendMessage({ type: 'direct', to: [ada.id], content: 'hi' })).toMatchObject({
      id: expect.any(Number),
    });
  } finally {
    await small.close();
  }
});
