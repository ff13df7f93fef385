import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { deactivateUser, reactivateUser } from '../user-admin/index.ts';
import { systemGroupIds } from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

let made = 0;
async function group(by: TestUser, members: TestUser[] = [], name = `cooks ${made++}`): Promise<number> {
  const ids = members.map(({ id }) => id);
  return (await by.api.createUserGroup({ name, description: '', members: [by.id, ...ids] })).group_id;
}
const membersOf = async (by: TestUser, user_group_id: number) =>
  (await by.api.getUserGroupMembers({ user_group_id, direct_member_only: true })).members;
const event = (op: string, group_id: number, ...users: TestUser[]) => ({
  id: expect.any(Number),
  type: 'user_group',
  op,
  group_id,
  user_ids: users.map(({ id }) => id),
});
/** The new messages of the Notification Bot to a user. */
const letters = async (person: TestUser) =>
  (await person.takeEvents('message')).flatMap(({ message }) =>
    message.sender_full_name === 'Notification Bot' ? [message.content] : [],
  );

// shows: 4.16.1, 4.16.2
test('users are added, then others are removed, and all users receive both events in this order', async () => {
  const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
  const gus = await chat.user('gus', { role: 'guest' });
  const user_group_id = await group(ada, [ben]);
  await Promise.all([dan, gus].map((person) => person.takeEvents()));
  await ada.api.updateUserGroupMembers({ user_group_id, add: [gus.id, cleo.id, cleo.id], delete: [ben.id] });
  expect(await membersOf(ada, user_group_id)).toEqual([ada.id, cleo.id, gus.id]);
  for (const person of [dan, gus]) {
    expect(await person.takeEvents('user_group')).toEqual([
      event('add_members', user_group_id, cleo, gus),
      event('remove_members', user_group_id, ben),
    ]);
  }
});

test('add_members and remove_members list users in ascending order, whatever the order in the request', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const user_group_id = await group(ada);
  await ada.takeEvents();
  await ada.api.updateUserGroupMembers({ user_group_id, add: [cleo.id, ben.id] });
  await ada.api.updateUserGroupMembers({ user_group_id, delete: [cleo.id, ben.id] });
  expect(await ada.takeEvents('user_group')).toEqual([
    event('add_members', user_group_id, ben, cleo),
    event('remove_members', user_group_id, ben, cleo),
  ]);
});

// shows: 4.16.3
test('the response to a change of members has only success', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const user_group_id = await group(ada);
  expect(await ada.api.updateUserGroupMembers({ user_group_id, add: [ben.id] })).toEqual({});
  expect(await ada.api.updateUserGroupMembers({ user_group_id, delete: [ben.id] })).toEqual({});
});

test('add applies before delete: a user in both joins and leaves, and gets no message', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const user_group_id = await group(ada);
  await ben.takeEvents();
  await ada.api.updateUserGroupMembers({ user_group_id, add: [ben.id], delete: [ben.id] });
  expect(await ben.takeEvents('user_group')).toEqual([
    event('add_members', user_group_id, ben),
    event('remove_members', user_group_id, ben),
  ]);
  expect(await letters(ben)).toEqual([]);
  expect(await membersOf(ada, user_group_id)).toEqual([ada.id]);
});

test('the Notification Bot writes to active users whom another user added or removed, and to no others', async () => {
  const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
  const gus = await chat.user('gus', { role: 'guest' });
  const bot = await chat.user('bo', { bot_of: ada });
  const name = `co\`oks* ${made++}`;
  const user_group_id = await group(ada, [ben, dan], name);
  const recipients = [ada, ben, cleo, dan, gus, bot];
  for (const person of recipients) await person.takeEvents();
  await ada.api.updateUserGroupMembers({
    user_group_id,
    add: [cleo.id, gus.id, bot.id],
    delete: [ben.id, ada.id],
  });
  const actor = `<span class="user-mention silent" data-user-id="${ada.id}">${ada.full_name}</span>`;
  const added = `<p>${actor} added you to the group <code>${name}</code>.</p>`;
  const removed = `<p>${actor} removed you from the group <code>${name}</code>.</p>`;
  expect(await Promise.all(recipients.map(letters))).toEqual([[], [removed], [added], [], [added], []]);
});

test('a message about a group is unread, mentions no user and comes after the event', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const user_group_id = await group(ada);
  await ben.takeEvents();
  await ada.api.updateUserGroupMembers({ user_group_id, add: [ben.id] });
  const heard = await ben.takeEvents();
  expect(heard.map(({ type }) => type)).toEqual(['user_group', 'message']);
  expect(heard[1]).toMatchObject({ flags: [], message: { type: 'private', client: 'ParleyServer' } });
});

test('deactivated users can be added and removed, and get no message', async () => {
  const ada = await chat.user('ada');
  const ben = await chat.user('ben', { mirrored: false });
  await chat.act((ctx) => deactivateUser(ctx, ben.id));
  const user_group_id = await group(ada);
  await ada.api.updateUserGroupMembers({ user_group_id, add: [ben.id] });
  expect(await membersOf(ada, user_group_id)).toEqual([ada.id, ben.id]);
  await ada.api.updateUserGroupMembers({ user_group_id, delete: [ben.id] });
  await chat.act((ctx) => reactivateUser(ctx, ben.id));
  const { messages } = await ben.api.getMessages({ anchor: 'newest', num_before: 9, num_after: 0 });
  expect(messages).toEqual([]);
});

// shows: 7.3
test('a request with one wrong id changes nothing and names the id', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const { owner: stranger } = await chat.otherRealm(`strangers${made++}`);
  const { cross_realm_bots } = await ada.api.registerQueue({ event_types: ['realm_user'] });
  const user_group_id = await group(ada, [ben]);
  await cleo.takeEvents();
  const wrong: [object, RegExp][] = [
    [{ add: [cleo.id, ben.id] }, new RegExp(`^add: .*\\b${ben.id} is in the group already`)],
    [{ add: [ben.id], delete: [ben.id] }, new RegExp(`^add: .*\\b${ben.id} is in the group already`)],
    [{ add: [cleo.id], delete: [chat.owner.id] }, new RegExp(`^delete: .*\\b${chat.owner.id} is not`)],
    ...[stranger.id, cross_realm_bots?.[0]?.user_id ?? 0, 987_654_321].flatMap((id): [object, RegExp][] => [
      [{ add: [cleo.id, id] }, new RegExp(`^add: there is no user ${id}\\.`)],
      [{ delete: [ben.id, id] }, new RegExp(`^delete: there is no user ${id}\\.`)],
    ]),
  ];
  for (const [lists, problem] of wrong) {
    await expectError('BAD_REQUEST', ada.api.updateUserGroupMembers({ user_group_id, ...lists }), problem);
  }
  expect(await membersOf(ada, user_group_id)).toEqual([ada.id, ben.id]);
  expect(await cleo.takeEvents()).toEqual([]);
});

test('without users to add or delete a request fails', async () => {
  const ada = await chat.user('ada');
  const user_group_id = await group(ada);
  for (const lists of [{}, { add: [] }, { add: [], delete: [] }]) {
    const errorResponse = ada.api.updateUserGroupMembers({ user_group_id, ...lists });
    await expectError('BAD_REQUEST', errorResponse, /send add, delete or both/);
  }
});

test('the members of a group include those of its subgroups, unless the request selects direct ones only', async () => {
  const [ada, ben, cleo, dan] = await chat.users('ada', 'ben', 'cleo', 'dan');
  const [inner, middle, outer] = [await group(cleo), await group(ben), await group(ada, [cleo])];
  await ada.api.updateUserGroupSubgroups({ user_group_id: outer, add: [middle] });
  await ben.api.updateUserGroupSubgroups({ user_group_id: middle, add: [inner] });
  const { members } = await dan.api.getUserGroupMembers({ user_group_id: outer });
  expect(members).toEqual([ada.id, ben.id, cleo.id]);
  expect(await membersOf(dan, outer)).toEqual([ada.id, cleo.id]);
  const isIn = async (user_id: number, direct_member_only: boolean) =>
    (await dan.api.getUserGroupMembership({ user_group_id: outer, user_id, direct_member_only })).is_user_group_member;
  const requested = [ada, ben, cleo, dan].map(({ id }) => id);
  expect(await Promise.all(requested.map((id) => isIn(id, false)))).toEqual([true, true, true, false]);
  expect(await Promise.all(requested.map((id) => isIn(id, true)))).toEqual([true, false, true, false]);
  await expectError('BAD_REQUEST', isIn(987_654_321, false), /987654321/);
});

test('system groups have members like any other', async () => {
  const [ada] = await chat.users('ada');
  const roles = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id));
  const params = { user_group_id: roles['role:everyone'], user_id: ada.id };
  expect((await ada.api.getUserGroupMembership(params)).is_user_group_member).toBe(true);
  expect((await ada.api.getUserGroupMembers(params)).members).toContain(ada.id);
  expect(await membersOf(ada, roles['role:everyone'])).not.toContain(ada.id);
  expect(await membersOf(ada, roles['role:nobody'])).toEqual([]);
});

test('a guest with limited visibility receives visible members only, and cannot fetch the others', async () => {
  const { realm, owner } = await chat.otherRealm(`house${made++}`);
  const roles = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id), realm);
  await owner.api.updateRealm({ can_access_all_users_group: roles['role:members'] });
  const [ada, gus] = [await chat.user('ada', { realm }), await chat.user('gus', { realm, role: 'guest' })];
  const user_group_id = await group(owner);
  await gus.takeEvents();
  await owner.api.updateUserGroupMembers({ user_group_id, add: [ada.id, gus.id] });
  // The Notification Bot wrote to each of them separately, so no user became visible.
  expect(await gus.takeEvents('user_group', 'realm_user')).toEqual([event('add_members', user_group_id, gus)]);
  await expectError('BAD_REQUEST', gus.api.getUser({ user_id: ada.id }), /there is no user/i);
  await expectError('BAD_REQUEST', gus.api.getUserGroupMembers({ user_group_id }), /Guests/);
});

test('adding, removing and notifying many users takes as many statements as two', async () => {
  const ada = await chat.user('ada');
  const crowd = await Promise.all(Array.from({ length: 40 }, () => chat.user('eve', { mirrored: false })));
  const cost = async (users: TestUser[]) => {
    const ids = users.map(({ id }) => id);
    const user_group_id = await group(ada);
    const add = await chat.statements(() => ada.api.updateUserGroupMembers({ user_group_id, add: ids }));
    return [add, await chat.statements(() => ada.api.updateUserGroupMembers({ user_group_id, delete: ids }))];
  };
  const few = await cost(crowd.slice(0, 2));
  expect(await cost(crowd.slice(2))).toEqual(few);
  expect(Math.max(...few)).toBeLessThanOrEqual(25);
});
