import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { changeRole } from '../user-admin/index.ts';
import {
  isInGroup,
  listGroupMemberIds,
  listGroupsByNames,
  refreshFullMembers,
  requireSettingGroup,
  systemGroupIds,
} from './index.ts';

let chat: Chat;
beforeAll(async () => {
  chat = await startChat();
});
afterAll(() => chat.close());

const names = ['nobody', 'owners', 'administrators', 'moderators', 'fullmembers', 'members', 'everyone', 'internet'];
const groupsOf = async (person: TestUser, as = chat.owner) => {
  const { user_groups } = await as.api.getUserGroups();
  return user_groups.filter(({ members }) => members.includes(person.id)).map(({ name }) => name);
};
const groupId = async (name: string) => {
  const [group] = await chat.act((ctx) => listGroupsByNames(ctx.db, ctx.realm.id, [name]));
  return group?.id ?? Number.NaN;
};

test('an organization is created with the eight system groups, in ascending id order', async () => {
  const { user_groups } = await chat.owner.api.getUserGroups();
  expect(user_groups.map(({ name }) => name)).toEqual(names.map((name) => `role:${name}`));
  const ids = user_groups.map(({ id }) => id);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
  expect(user_groups.every(({ is_system_group, description }) => is_system_group && description !== '')).toBe(true);
});

test('each system group from owners to everyone is a direct subgroup of the next; role:nobody is empty and not among them', async () => {
  const { user_groups } = await chat.owner.api.getUserGroups();
  const [nobody, owners, ...rest] = user_groups;
  expect(nobody).toMatchObject({ members: [], direct_subgroup_ids: [] });
  expect(owners?.direct_subgroup_ids).toEqual([]);
  rest.forEach((group, n) => void expect(group.direct_subgroup_ids).toEqual([user_groups[n + 1]?.id]));
});

test('no user can mention a system group', async () => {
  const { user_groups } = await chat.owner.api.getUserGroups();
  for (const group of user_groups) expect(group.can_mention_group).toBe(user_groups[0]?.id);
});

test('every user and bot is a direct member of exactly the group of their role, full members of one more', async () => {
  const ada = await chat.user('ada');
  const roles = { admin: 'administrators', moderator: 'moderators', owner: 'owners', guest: 'everyone' } as const;
  for (const [role, group] of Object.entries(roles)) {
    const person = await chat.user('ben', { role: role as keyof typeof roles });
    expect(await groupsOf(person)).toEqual([`role:${group}`]);
  }
  const bot = await chat.user('bot', { bot_of: ada });
  for (const person of [ada, bot]) expect(await groupsOf(person)).toEqual(['role:fullmembers', 'role:members']);
});

test('members are listed in ascending order', async () => {
  await chat.users('ada', 'ben');
  const { user_groups } = await chat.owner.api.getUserGroups();
  for (const { members } of user_groups) expect(members).toEqual([...members].sort((a, b) => a - b));
});

test('groups of another organization are not listed', async () => {
  const other = await chat.otherRealm('groupies');
  const [here, there] = [await chat.owner.api.getUserGroups(), await other.owner.api.getUserGroups()];
  const ids = new Set(here.user_groups.map(({ id }) => id));
  expect(there.user_groups.filter(({ id }) => ids.has(id))).toEqual([]);
  expect(there.user_groups.flatMap(({ members }) => members).sort()).toEqual([other.owner.id]);
});

test('all users receive the groups of a new user, and the change of a role', async () => {
  const ada = await chat.user('ada');
  await ada.takeEvents();
  const ben = await chat.user('ben');
  const [members, full, moderators] = [
    await groupId('role:members'),
    await groupId('role:fullmembers'),
    await groupId('role:moderators'),
  ];
  const event = (op: string, group_id: number) => ({
    id: expect.any(Number),
    type: 'user_group',
    op,
    group_id,
    user_ids: [ben.id],
  });
  expect(await ada.takeEvents('user_group')).toEqual([event('add_members', full), event('add_members', members)]);
  await chat.act((ctx) => changeRole(ctx, ben.id, 300));
  expect(await ada.takeEvents('user_group')).toEqual([
    event('remove_members', full),
    event('remove_members', members),
    event('add_members', moderators),
  ]);
  expect(await groupsOf(ben)).toEqual(['role:moderators']);
});

test('a longer waiting period removes full members whose accounts are too new', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const group_id = await groupId('role:fullmembers');
  await ben.takeEvents();
  await chat.owner.api.updateRealm({ waiting_period_threshold: 3 });
  expect(await groupsOf(ada)).toEqual(['role:members']);
  const both = expect.arrayContaining([ada.id, ben.id]);
  const event = { id: expect.any(Number), type: 'user_group', group_id, user_ids: both };
  expect(await ben.takeEvents('user_group')).toEqual([{ ...event, op: 'remove_members' }]);
  await chat.owner.api.updateRealm({ waiting_period_threshold: 0 });
  expect(await ben.takeEvents('user_group')).toEqual([{ ...event, op: 'add_members' }]);
});

test('the end of a waiting period emits nothing; the job then adds full members and emits it once', async () => {
  const { realm, owner } = await chat.otherRealm('waiting');
  const ada = await chat.user('ada', { realm, mirrored: false });
  await owner.api.updateRealm({ waiting_period_threshold: 3 });
  chat.clock.advance({ days: 2, hours: 23, minutes: 55 });
  const ben = await chat.user('ben', { realm });
  await ben.takeEvents();
  await chat.act(refreshFullMembers, realm);
  expect(await ben.takeEvents('user_group')).toEqual([]);
  chat.clock.advance({ minutes: 6 });
  await chat.act(refreshFullMembers, realm);
  await chat.act(refreshFullMembers, realm);
  expect(await ben.takeEvents('user_group')).toMatchObject([{ op: 'add_members', user_ids: [ada.id] }]);
  expect(await groupsOf(ada, owner)).toEqual(['role:fullmembers', 'role:members']);
  expect(await groupsOf(ben, owner)).toEqual(['role:members']);
});

test('adding or removing many full members takes as many statements as one', async () => {
  const { realm, owner } = await chat.otherRealm('crowd');
  const count = async (userCount: number, days: number) => {
    for (let n = 0; n < userCount; n++) await chat.user('cleo', { realm, mirrored: false });
    return chat.statements(() => owner.api.updateRealm({ waiting_period_threshold: days }));
  };
  const one = await count(1, 9);
  await owner.api.updateRealm({ waiting_period_threshold: 0 });
  expect(await count(12, 9)).toBe(one);
});

test('membership in a group includes its subgroups', async () => {
  const [moderator, guest] = [await chat.user('mo', { role: 'moderator' }), await chat.user('gus', { role: 'guest' })];
  const {
    'role:members': members,
    'role:everyone': everyone,
    'role:internet': internet,
    'role:nobody': nobody,
  } = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id));
  const isIn = (group: number, person: TestUser) =>
    chat.act((ctx) => isInGroup(ctx.db, ctx.realm.id, group, person.id));
  expect(await isIn(members, moderator)).toBe(true);
  expect(await isIn(members, guest)).toBe(false);
  expect(await isIn(everyone, guest)).toBe(true);
  expect(await isIn(internet, moderator)).toBe(true);
  expect(await isIn(nobody, chat.owner)).toBe(false);
  const listed = await chat.act((ctx) => listGroupMemberIds(ctx.db, ctx.realm.id, [members, nobody]));
  expect(listed.get(members)).toEqual(expect.arrayContaining([chat.owner.id, moderator.id]));
  expect(listed.get(members)).not.toContain(guest.id);
  expect(listed.get(nobody)).toEqual([]);
});

test('a setting rejects a group that is unknown, of another organization or not allowed, with an error that names the setting', async () => {
  const other = await chat.otherRealm('strangers');
  const [foreign] = (await other.owner.api.getUserGroups()).user_groups;
  const owners = await groupId('role:owners');
  for (const group of [foreign?.id ?? 0, owners, 9_007_199_254_740_991]) {
    const check = chat.act((ctx) => requireSettingGroup(ctx, 'can_remove_subscribers_group', group));
    await expect(check).rejects.toMatchObject({ code: 'BAD_REQUEST', message: /can_remove_subscribers_group/ });
  }
  await expectError(
    'BAD_REQUEST',
    chat.owner.api.updateRealm({ create_multiuse_invite_group: owners }),
    /create_multiuse_invite_group/,
  );
});

test('a registration has the groups under either of their event types', async () => {
  const { user_groups } = await chat.owner.api.getUserGroups();
  for (const type of ['user_group', 'realm_user_groups'] as const) {
    const state = await chat.owner.api.registerQueue({ event_types: [type] });
    expect(state.realm_user_groups).toEqual(user_groups);
  }
});
