// Permissions for groups, and the order of checks (docs/behaviour/roles.md#operations-by-role,
// docs/behaviour/user-groups.md#order-of-checks).
import { operations } from '@parley/openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { systemGroupIds } from './index.ts';

const everybody = ['owner', 'administrator', 'moderator', 'full member', 'new member', 'guest', 'bot'] as const;
type Who = (typeof everybody)[number];

let chat: Chat;
let users: Record<Who, TestUser>;
let system: number;
/** All of these users are members of the one group and none of the other. */
let groups: Record<'inside' | 'outside' | 'spare', number>;

beforeAll(async () => {
  chat = await startChat();
  const { realm, owner } = await chat.otherRealm('house');
  const options = { realm, mirrored: false };
  const full = await chat.user('fay', options);
  chat.clock.advance({ days: 4 });
  await owner.api.updateRealm({ waiting_period_threshold: 3 });
  users = {
    owner,
    administrator: await chat.user('amy', { ...options, role: 'admin' }),
    moderator: await chat.user('mo', { ...options, role: 'moderator' }),
    'full member': full,
    'new member': await chat.user('nia', options),
    guest: await chat.user('gus', { ...options, role: 'guest' }),
    bot: await chat.user('bo', { ...options, bot_of: full }),
  };
  system = (await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id), realm))['role:members'];
  const all = Object.values(users).map(({ id }) => id);
  groups = { inside: await group(all), outside: await group([]), spare: await group([]) };
});
afterAll(() => chat.close());

let made = 0;
async function group(members: number[]): Promise<number> {
  const params = { name: `cooks ${made++}`, description: '', members };
  return (await users.owner.api.createUserGroup(params)).group_id;
}

type Change = (by: TestUser, user_group_id: number) => Promise<unknown>;
/** Every operation that changes a group, with a valid change. */
const changes: Record<string, Change> = {
  updateUserGroup: ({ api }, user_group_id) => api.updateUserGroup({ user_group_id, description: `${made++}` }),
  updateUserGroupMembers: async ({ api }, user_group_id) => {
    const { members } = await users.owner.api.getUserGroupMembers({ user_group_id, direct_member_only: true });
    // A user who is no member is added and removed; a member is removed and added.
    const id = users.owner.id;
    if (!members.includes(id)) return api.updateUserGroupMembers({ user_group_id, add: [id], delete: [id] });
    await api.updateUserGroupMembers({ user_group_id, delete: [id] });
    return api.updateUserGroupMembers({ user_group_id, add: [id] });
  },
  updateUserGroupSubgroups: ({ api }, user_group_id) =>
    api.updateUserGroupSubgroups({ user_group_id, add: [groups.spare], delete: [groups.spare] }),
  deleteUserGroup: async ({ api }, user_group_id) => {
    const same = (await users.owner.api.getUserGroups()).user_groups.find(({ id }) => id === user_group_id);
    const doomed = same && !same.is_system_group ? await group(same.members) : user_group_id;
    return api.deleteUserGroup({ user_group_id: doomed });
  },
};
const create = ({ api }: TestUser) => api.createUserGroup({ name: `made ${made++}`, description: '' });

async function may(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error: unknown) => {
      expect(error).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
      return false;
    },
  );
}

async function allowed(change: (by: TestUser) => Promise<unknown>): Promise<Who[]> {
  const found: Who[] = [];
  for (const who of everybody) if (await may(change(users[who]))) found.push(who);
  return found;
}

const members = ['owner', 'administrator', 'moderator', 'full member', 'new member'] as const;
const policies: [1 | 2 | 3 | 4, readonly Who[]][] = [
  [1, members],
  [2, ['owner', 'administrator']],
  [3, ['owner', 'administrator', 'moderator', 'full member']],
  [4, ['owner', 'administrator', 'moderator']],
];
const moderators: readonly Who[] = ['owner', 'administrator', 'moderator'];

test.each(policies)(
  'under user_group_edit_policy %i these can create groups: %j',
  async (user_group_edit_policy, who) => {
    await users.owner.api.updateRealm({ user_group_edit_policy });
    expect(await allowed(create)).toEqual(who);
    await expectError('BAD_REQUEST', create(users.guest), /Guests/);
    if (!who.includes('new member'))
      await expectError('BAD_REQUEST', create(users['new member']), /user_group_edit_policy/);
  },
);

const cases = policies.flatMap(([policy, who]) => Object.keys(changes).map((id) => [id, policy, who] as const));
test.each(cases)(
  '%s under user_group_edit_policy %i is for these: %j, and below moderator for direct members only',
  async (id, user_group_edit_policy, who) => {
    await users.owner.api.updateRealm({ user_group_edit_policy });
    const change = changes[id] as Change;
    expect(await allowed((by) => change(by, groups.inside))).toEqual(who);
    expect(await allowed((by) => change(by, groups.outside))).toEqual(who.filter((one) => moderators.includes(one)));
    expect(await allowed((by) => change(by, system))).toEqual([]);
  },
);

const reads = ['getUserGroups', 'getUserGroupMembers', 'getUserGroupMembership', 'getUserGroupSubgroups'] as const;
test('all users but guests and bots can read groups, under any policy', async () => {
  await users.owner.api.updateRealm({ user_group_edit_policy: 2 });
  const params = { user_group_id: groups.outside, user_id: users.guest.id };
  for (const id of reads) expect(await allowed(({ api }) => api[id](params))).toEqual(members);
});

const ids = Object.entries(operations).flatMap(([id, { feature }]) => (feature === 'user-groups' ? [id] : []));
test.each(ids)('%s rejects guests and bots before anything else', async (id) => {
  for (const [who, what] of [
    ['guest', /^Guests cannot do this/],
    ['bot', /^Bots cannot do this/],
  ] as const) {
    const call = users[who].api[id as 'getUserGroupMembership'];
    await expectError('BAD_REQUEST', call({ user_group_id: 987_654_321, user_id: 987_654_321 }), what);
  }
});

test('an incoming webhook cannot read groups', async () => {
  const hook = await chat.user('hook', { bot_of: chat.owner, bot_type: 2 });
  await expectError('UNAUTHORIZED', hook.api.getUserGroups());
});

// shows: 4.15.3, 7.5
test.each(Object.keys(changes))('%s checks: unknown, policy, system group, membership, then values', async (id) => {
  // Without a change, or with an invalid one, the request fails at the last check.
  const wrong: Change = ({ api }, user_group_id) =>
    (api[id as 'updateUserGroupMembers'] as typeof api.updateUserGroupMembers)({ user_group_id, add: [] });
  await users.owner.api.updateRealm({ user_group_edit_policy: 3 });
  const [nia, fay, mo] = [users['new member'], users['full member'], users.moderator];
  await expectError('BAD_REQUEST', wrong(nia, 987_654_321), /there is no user group 987654321/);
  await expectError('BAD_REQUEST', wrong(nia, system), /user_group_edit_policy/);
  await expectError('BAD_REQUEST', wrong(fay, system), /system group/);
  await expectError('BAD_REQUEST', wrong(mo, system), /system group/);
  await expectError('BAD_REQUEST', wrong(fay, groups.outside), /Only moderators and members/);
  if (id !== 'deleteUserGroup') await expectError('BAD_REQUEST', wrong(fay, groups.inside), /send (name|add)/);
});

test('members of a subgroup are no direct members', async () => {
  await users.owner.api.updateRealm({ user_group_edit_policy: 1 });
  const around = await group([]);
  await users.owner.api.updateUserGroupSubgroups({ user_group_id: around, add: [groups.inside] });
  const fay = users['full member'];
  const params = { user_group_id: around, user_id: fay.id };
  expect((await fay.api.getUserGroupMembership(params)).is_user_group_member).toBe(true);
  const rename = fay.api.updateUserGroup({ user_group_id: around, name: 'mine' });
  await expectError('BAD_REQUEST', rename, /Only moderators and members/);
});

test('a user who removed themselves cannot change the group any more', async () => {
  await users.owner.api.updateRealm({ user_group_edit_policy: 1 });
  const fay = users['full member'];
  const user_group_id = await group([fay.id]);
  await fay.api.updateUserGroupMembers({ user_group_id, delete: [fay.id] });
  const back = fay.api.updateUserGroupMembers({ user_group_id, add: [fay.id] });
  await expectError('BAD_REQUEST', back, /Only moderators and members/);
});
