import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { systemGroupIds } from './index.ts';

let chat: Chat;
let roles: Awaited<ReturnType<typeof systemGroupIds>>;
beforeAll(async () => {
  chat = await startChat();
  roles = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id));
});
afterAll(() => chat.close());

let made = 0;
/** Groups of which Ada is a member. */
async function groups(ada: TestUser, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    const { group_id } = await ada.api.createUserGroup({ name: `g${made++}`, description: '', members: [ada.id] });
    ids.push(group_id);
  }
  return ids;
}
const put = (by: TestUser, user_group_id: number, add: number[], remove: number[] = []) =>
  by.api.updateUserGroupSubgroups({ user_group_id, add, delete: remove });
const inside = async (by: TestUser, user_group_id: number, direct_subgroup_only = false) =>
  (await by.api.getUserGroupSubgroups({ user_group_id, direct_subgroup_only })).subgroups;

test('subgroups are added, then others are removed, and all users receive both events in this order', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const gus = await chat.user('gus', { role: 'guest' });
  const [a = 0, b = 0, c = 0, d = 0] = await groups(ada, 4);
  await put(ada, a, [b]);
  await Promise.all([ben, gus].map((person) => person.takeEvents()));
  await put(ada, a, [d, c, d], [b, c]);
  expect(await inside(ben, a)).toEqual([d]);
  const event = (op: string, ...direct_subgroup_ids: number[]) => ({
    id: expect.any(Number),
    type: 'user_group',
    op,
    group_id: a,
    direct_subgroup_ids,
  });
  for (const person of [ben, gus]) {
    expect(await person.takeEvents()).toEqual([event('add_subgroups', c, d), event('remove_subgroups', b, c)]);
  }
});

test('the subgroups of a group include indirect ones, unless the request selects direct ones only', async () => {
  const ada = await chat.user('ada');
  const [a = 0, b = 0, c = 0, d = 0] = await groups(ada, 4);
  await put(ada, a, [d, b]);
  await put(ada, b, [c]);
  await put(ada, d, [c]);
  expect(await inside(ada, a)).toEqual([b, c, d]);
  expect(await inside(ada, a, true)).toEqual([b, d]);
  expect(await inside(ada, roles['role:moderators'])).toEqual([roles['role:owners'], roles['role:administrators']]);
  expect(await inside(ada, roles['role:nobody'])).toEqual([]);
  await expectError('BAD_REQUEST', inside(ada, 987_654_321), /987654321/);
});

test('a group cannot be its own subgroup, nor an indirect one', async () => {
  const ada = await chat.user('ada');
  const [a = 0, b = 0, c = 0, d = 0] = await groups(ada, 4);
  await put(ada, a, [b]);
  await put(ada, b, [c]);
  await expectError('BAD_REQUEST', put(ada, a, [a]), new RegExp(`^add: .*\\b${a}\\b`));
  await expectError('BAD_REQUEST', put(ada, b, [a]), new RegExp(`^add: .*\\b${a}\\b`));
  await expectError('BAD_REQUEST', put(ada, c, [d, a]), new RegExp(`^add: .*\\b${a}\\b`));
  // Subgroups to remove are still there when others are added.
  await expectError('BAD_REQUEST', put(ada, b, [a], [c]), new RegExp(`^add: .*\\b${a}\\b`));
  expect(await inside(ada, c)).toEqual([]);
  // Two ways to the same group are no cycle.
  await put(ada, a, [c]);
  expect(await inside(ada, a)).toEqual([b, c]);
});

test('system groups can be subgroups, and cannot have other subgroups', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const mo = await chat.user('mo', { role: 'moderator' });
  const [a = 0] = await groups(ada, 1);
  const isIn = async (user_id: number) =>
    (await ada.api.getUserGroupMembership({ user_group_id: a, user_id })).is_user_group_member;
  await put(ada, a, [roles['role:moderators']]);
  expect([await isIn(mo.id), await isIn(ben.id)]).toEqual([true, false]);
  await put(ada, a, [roles['role:members']]);
  expect(await isIn(ben.id)).toBe(true);
  await put(ada, a, [], [roles['role:members'], roles['role:moderators']]);
  expect([await isIn(mo.id), await isIn(ben.id)]).toEqual([false, false]);
  for (const system of Object.values(roles)) {
    await expectError('BAD_REQUEST', put(chat.owner, system, [a]), /system group/);
    await expectError('BAD_REQUEST', put(chat.owner, system, [], [roles['role:owners']]), /system group/);
  }
});

test('a user who can change a group can add any other group to it, and no message is sent', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const [[a = 0], [b = 0]] = [await groups(ada, 1), await groups(ben, 1)];
  await ben.takeEvents();
  await put(ada, a, [b]);
  await expectError('BAD_REQUEST', put(ben, a, [], [b]), /Only moderators and members/);
  expect(await ben.takeEvents('message')).toEqual([]);
});

test('a request with one wrong id changes nothing and names the id', async () => {
  const ada = await chat.user('ada');
  const other = await chat.otherRealm(`strangers${made++}`);
  const foreign = (await other.owner.api.getUserGroups()).user_groups[4]?.id ?? 0;
  const [a = 0, b = 0, c = 0] = await groups(ada, 3);
  await put(ada, a, [b]);
  await ada.takeEvents();
  await expectError('BAD_REQUEST', put(ada, a, [c, b]), new RegExp(`^add: .*\\b${b} is in the group already`));
  await expectError('BAD_REQUEST', put(ada, a, [c], [a]), new RegExp(`^delete: .*\\b${a} is not directly`));
  for (const id of [foreign, 987_654_321]) {
    await expectError('BAD_REQUEST', put(ada, a, [c, id]), new RegExp(`^add: there is no user group ${id}\\.`));
    await expectError('BAD_REQUEST', put(ada, a, [], [b, id]), new RegExp(`^delete: there is no user group ${id}\\.`));
  }
  await expectError('BAD_REQUEST', put(ada, a, [], []), /send add, delete or both/);
  await expectError('BAD_REQUEST', ada.api.updateUserGroupSubgroups({ user_group_id: a }), /send add, delete or both/);
  expect(await inside(ada, a)).toEqual([b]);
  expect(await ada.takeEvents()).toEqual([]);
});

test('adding many subgroups takes as many statements as one', async () => {
  const ada = await chat.user('ada');
  const [a = 0, b = 0, ...others] = await groups(ada, 14);
  const [first = 0, ...rest] = others;
  const one = await chat.statements(() => put(ada, a, [first]));
  expect(await chat.statements(() => put(ada, b, rest))).toBe(one);
  expect(one).toBeLessThanOrEqual(14);
});
