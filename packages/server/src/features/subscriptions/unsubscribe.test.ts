import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat } from '../../../test/chat.ts';
import { deactivateUser } from '../user-admin/index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
  await chat.stream('lobby', { by: chat.owner });
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const id = expect.any(Number);

// shows: 4.2.2, 4.2.3, 4.2.4
test('the response has one name for each user and stream, in the case of the stream', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const amy = await chat.user('amy', { role: 'admin' });
  const [one, two] = [fresh('One'), fresh('Two')];
  await chat.stream(one, { by: ada, members: [ben] });
  await chat.stream(two, { by: ada });
  const subscriptions = [one.toLowerCase(), ` ${two.toUpperCase()}`, one];
  await expectError(
    'BAD_REQUEST',
    amy.api.unsubscribe({ subscriptions, principals: [ada.id, ben.email] as never }),
    /principals/,
  );
  expect(await amy.api.unsubscribe({ subscriptions, principals: [ada.id, ben.id] })).toEqual({
    removed: [one, one, two],
    not_removed: [two],
  });
  expect(await ada.api.unsubscribe({ subscriptions: [one] })).toEqual({ removed: [], not_removed: [one] });
  expect(await ada.api.unsubscribe({ subscriptions: [] })).toEqual({ removed: [], not_removed: [] });
});

// shows: 4.2.1
test('without subscriptions the request fails with an error that names them', async () => {
  await expectError('REQUEST_VARIABLE_MISSING', chat.owner.api.unsubscribe({} as never), /subscriptions/);
});

// shows: 4.2.2
test('users are named by ids, or by API email addresses in any case', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const soup = fresh('soup');
  await chat.stream(soup, { by: ada, members: [ben] });
  const remove = (principals: number[] | string[]) => chat.owner.api.unsubscribe({ subscriptions: [soup], principals });
  expect(await remove([ada.id])).toEqual({ removed: [soup], not_removed: [] });
  expect(await remove([ben.email.toUpperCase()])).toEqual({ removed: [soup], not_removed: [] });
});

// shows: 4.2.10, 7.12
test('the error names the first unknown stream, and nothing is removed', async () => {
  const ada = await chat.user('ada');
  const soup = fresh('soup');
  await chat.stream(soup, { by: ada });
  const errorResponse = await expectError(
    'STREAM_DOES_NOT_EXIST',
    ada.api.unsubscribe({ subscriptions: [soup, 'Nowhere', 'never'], principals: [999_999] }),
    /Nowhere/,
  );
  expect(errorResponse.stream).toBe('Nowhere');
  expect((await ada.api.getSubscriptions({})).subscriptions).toHaveLength(1);
});

test('a private stream that the user cannot see is reported as unknown', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const gus = await chat.user('gus', { role: 'guest' });
  const [secret, open] = [fresh('Secret'), fresh('Open')];
  await chat.stream(secret, { by: ada, invite_only: true });
  await chat.stream(open, { by: ada });
  const missing = await expectError('STREAM_DOES_NOT_EXIST', ben.api.unsubscribe({ subscriptions: ['none'] }));
  const asIfMissing = (name: string) => ({ ...missing, stream: name, msg: missing.msg.replace('none', name) });
  const typed = secret.toLowerCase();
  expect(await expectError('STREAM_DOES_NOT_EXIST', ben.api.unsubscribe({ subscriptions: [typed] }))).toEqual(
    asIfMissing(typed),
  );
  expect(await expectError('STREAM_DOES_NOT_EXIST', gus.api.unsubscribe({ subscriptions: [open] }))).toEqual(
    asIfMissing(open),
  );
});

// shows: 4.2.9, 7.22, 9.5
test('the error names unknown and deactivated users', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.act((ctx) => deactivateUser(ctx, ben.id));
  const leave = (principals: number[] | string[]) => ada.api.unsubscribe({ subscriptions: ['lobby'], principals });
  await expectError('BAD_REQUEST', leave([999_999]), /999999/);
  await expectError('BAD_REQUEST', leave(['no@example.com']), /no@example.com/);
  await expectError('BAD_REQUEST', leave([ben.id]), new RegExp(String(ben.id)));
});

// shows: 4.1.24, 4.2.9, 7.22, 9.5
test('removing or subscribing users who do not exist, or are deactivated, has status 400', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  await chat.act((ctx) => deactivateUser(ctx, ben.id));
  const bad = { status: 400, body: { code: 'BAD_REQUEST' } };
  for (const principals of [[999_999], ['no@example.com'], [ben.id], [ben.email]] as (number[] | string[])[]) {
    await expect(ada.api.unsubscribe({ subscriptions: ['lobby'], principals })).rejects.toMatchObject(bad);
    await expect(ada.api.subscribe({ subscriptions: [{ name: 'lobby' }], principals })).rejects.toMatchObject(bad);
  }
});

// shows: 2.16, 4.2.5, 4.2.6, 4.2.7, 4.2.8, 5.8
test('administrators can remove all users, owners their bots, members of the remover group all users, and no others', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const amy = await chat.user('amy', { role: 'admin' });
  const moe = await chat.user('moe', { role: 'moderator' });
  const robo = await chat.user('robo', { bot_of: ada });
  const groups = (await ada.api.getUserGroups({})).user_groups;
  const moderators = groups.find(({ name }) => name === 'role:moderators')?.id ?? 0;
  const [plain, moderated, secret] = [fresh('plain'), fresh('moderated'), fresh('secret')];
  const members = [ben, cleo, robo];
  await chat.stream(plain, { by: chat.owner, members });
  await chat.stream(moderated, { by: chat.owner, members, can_remove_subscribers_group: moderators });
  await chat.stream(secret, { by: chat.owner, members: [...members, ada], invite_only: true });
  const remove = (by: typeof ada, users: (typeof ada)[], ...subscriptions: string[]) =>
    by.api.unsubscribe({ subscriptions, principals: users.map((one) => one.id) });

  await expectError('BAD_REQUEST', remove(ada, [ben], plain), new RegExp(plain));
  await expectError('BAD_REQUEST', remove(moe, [ben], moderated, plain), new RegExp(plain));
  await expectError('BAD_REQUEST', remove(ada, [robo, ada, ben], plain), new RegExp(ben.full_name));
  await expectError('BAD_REQUEST', remove(ben, [robo], plain), /permission/);
  await expectError('STREAM_DOES_NOT_EXIST', remove(moe, [ben], secret));
  expect((await remove(ada, [robo, ada], plain, secret)).removed).toEqual([plain, secret, secret]);
  expect((await remove(moe, [ben, robo], moderated)).removed).toEqual([moderated, moderated]);
  expect((await remove(amy, [ben, cleo], plain, secret)).removed).toEqual([plain, plain, secret, secret]);
});

test('guests can remove themselves, and then no longer see the stream', async () => {
  const [ada, gus] = [await chat.user('ada'), await chat.user('gus', { role: 'guest' })];
  const soup = fresh('soup');
  const stream_id = await chat.stream(soup, { by: ada, members: [gus] });
  const { stream } = await gus.api.getStream({ stream_id });
  await gus.takeEvents();
  expect((await gus.api.unsubscribe({ subscriptions: [soup] })).removed).toEqual([soup]);
  const heard = await gus.takeEvents('subscription', 'stream');
  expect(heard).toEqual([
    { id, type: 'subscription', op: 'remove', subscriptions: [{ name: soup, stream_id }] },
    { id, type: 'stream', op: 'delete', streams: [stream] },
  ]);
  await expectError('BAD_REQUEST', gus.api.getStream({ stream_id }));
});

test('unread messages of the stream become read, and the user receives their ids', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const soup = fresh('soup');
  await chat.stream(soup, { by: ada, members: [ben, cleo] });
  const sent = [await chat.message({ from: ada, to: soup }), await chat.message({ from: ada, to: soup })];
  await ben.api.updateMessageFlags({ messages: [sent[0] ?? 0], op: 'add', flag: 'read' });
  await ben.takeEvents();
  await ben.api.unsubscribe({ subscriptions: [soup] });
  const [event] = await ben.takeEvents('update_message_flags');
  // The notice of the stream's creation is among the unread messages.
  expect(event).toEqual({
    id,
    type: 'update_message_flags',
    op: 'add',
    operation: 'add',
    flag: 'read',
    messages: [expect.any(Number), sent[1]],
    all: false,
  });
  expect(await cleo.takeEvents('update_message_flags')).toEqual([]);
});

test('a message sent while a user was unsubscribed is not received, and stays historical after subscribing again', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const soup = fresh('soup');
  await chat.stream(soup, { by: ada, members: [ben] });
  const before = await chat.message({ from: ada, to: soup });
  await ben.api.unsubscribe({ subscriptions: [soup] });
  const away = await chat.message({ from: ada, to: soup });
  await ben.api.subscribe({ subscriptions: [{ name: soup }] });
  const after = await chat.message({ from: ada, to: soup });
  const flagsOf = async (message_id: number) => (await ben.api.getMessage({ message_id })).message.flags;
  expect([await flagsOf(before), await flagsOf(away), await flagsOf(after)]).toEqual([
    ['read'],
    ['read', 'historical'],
    [],
  ]);
});

test("other users who see the subscribers receive the removal, and users removed together receive one another's", async () => {
  const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
  const amy = await chat.user('amy', { role: 'admin' });
  const [open, secret] = [fresh('open'), fresh('secret')];
  const ids = [
    await chat.stream(open, { by: ada, members: [ben, cleo] }),
    await chat.stream(secret, { by: ada, members: [ben, cleo], invite_only: true }),
  ];
  for (const person of [ada, ben, cleo, dan, amy]) await person.takeEvents();
  await amy.api.unsubscribe({ subscriptions: [open, secret], principals: [ben.id, cleo.id] });
  const deletion = (stream_id?: number) => ({
    id,
    type: 'subscription',
    op: 'peer_remove',
    stream_ids: [stream_id],
    user_ids: [ben.id, cleo.id],
  });
  expect(await ada.takeEvents('subscription')).toEqual([deletion(ids[0]), deletion(ids[1])]);
  expect(await amy.takeEvents('subscription')).toEqual([deletion(ids[0]), deletion(ids[1])]);
  expect(await dan.takeEvents('subscription')).toEqual([deletion(ids[0])]);
  const heard = await ben.takeEvents('subscription', 'stream');
  expect(heard.map((event) => event.op)).toEqual(['remove', 'delete', 'peer_remove']);
  expect(heard.at(-1)).toEqual(deletion(ids[0]));
});
