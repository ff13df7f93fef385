import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, expectError, startChat, type TestUser } from '../../../test/chat.ts';
import { deactivateUser } from '../user-admin/index.ts';
import { systemGroupIds } from './index.ts';

let chat: Chat;
let roles: Awaited<ReturnType<typeof systemGroupIds>>;
beforeAll(async () => {
  chat = await startChat();
  roles = await chat.act((ctx) => systemGroupIds(ctx.db, ctx.realm.id));
});
afterAll(() => chat.close());

let made = 0;
const fresh = (name: string) => `${name} ${made++}`;
const shown = async (by: TestUser, id: number) =>
  (await by.api.getUserGroups()).user_groups.find((group) => group.id === id);
const notices = async (person: TestUser) =>
  (await person.takeEvents('message')).filter(({ message }) => message.sender_full_name === 'Notification Bot');

// shows: 2.59
test('a new group exists at once, without its creator, and all users can mention it', async () => {
  const ada = await chat.user('ada');
  const name = fresh('cooks');
  const { group_id } = await ada.api.createUserGroup({ name, description: 'Who cooks.' });
  expect(await shown(ada, group_id)).toEqual({
    id: group_id,
    name,
    description: 'Who cooks.',
    members: [],
    direct_subgroup_ids: [],
    is_system_group: false,
    can_mention_group: roles['role:everyone'],
  });
});

test('all users receive a new group, guests and bots too, and no user gets a message about it', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const guest = await chat.user('gus', { role: 'guest' });
  const bot = await chat.user('bo', { bot_of: ada });
  const everyone = [ada, ben, guest, bot];
  for (const person of everyone) await person.takeEvents();
  const params = { name: fresh('cooks'), description: '', can_mention_group: roles['role:moderators'] };
  const { group_id } = await ada.api.createUserGroup({ ...params, members: [guest.id, ben.id, bot.id, ben.id] });
  const group = { ...params, id: group_id, members: [ben.id, guest.id, bot.id], direct_subgroup_ids: [] };
  for (const person of everyone) {
    expect(await person.takeEvents('user_group')).toEqual([
      { id: expect.any(Number), type: 'user_group', op: 'add', group: { ...group, is_system_group: false } },
    ]);
    expect(await notices(person)).toEqual([]);
  }
});

test('deactivated users and bots can be among the first members; unknown users and the Notification Bot cannot', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const bot = await chat.user('bo', { bot_of: ada });
  const other = await chat.otherRealm(`strangers${made++}`);
  await chat.act((ctx) => deactivateUser(ctx, ben.id));
  const description = '';
  const { group_id } = await ada.api.createUserGroup({ name: fresh('cooks'), description, members: [ben.id, bot.id] });
  expect((await shown(ada, group_id))?.members).toEqual([ben.id, bot.id]);
  const { cross_realm_bots } = await ada.api.registerQueue({ event_types: ['realm_user'] });
  for (const id of [other.owner.id, cross_realm_bots?.[0]?.user_id ?? 0, 987_654_321]) {
    const members = [ada.id, id];
    const errorResponse = ada.api.createUserGroup({ name: fresh('cooks'), description, members });
    await expectError('BAD_REQUEST', errorResponse, new RegExp(`members: .*\\b${id}\\b`));
  }
});

test('a name is trimmed, unique, and the same name in another case is another name', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = fresh('cooks');
  const { group_id } = await ada.api.createUserGroup({ name: `  ${name} `, description: '' });
  expect((await shown(ada, group_id))?.name).toBe(name);
  await expectError('BAD_REQUEST', ben.api.createUserGroup({ name, description: '' }), new RegExp(`name: .*"${name}"`));
  await ben.api.createUserGroup({ name: name.toUpperCase(), description: '' });
});

test.each(['', '   ', 'a'.repeat(101), '@cooks', ' role:cooks', 'user:cooks', 'stream:cooks', 'channel:cooks'])(
  'no group can be named %j',
  async (name) => {
    const ada = await chat.user('ada');
    await expectError('BAD_REQUEST', ada.api.createUserGroup({ name, description: '' }), /^name: /);
  },
);

test('a name has up to 100 characters, counted as code points', async () => {
  const ada = await chat.user('ada');
  const name = '🍲'.repeat(100);
  const { group_id } = await ada.api.createUserGroup({ name, description: '' });
  expect((await shown(ada, group_id))?.name).toBe(name);
});

// shows: 2.60
test('can_mention_group can be any group except those of owners and of the internet', async () => {
  const ada = await chat.user('ada');
  const { group_id: cooks } = await ada.api.createUserGroup({ name: fresh('cooks'), description: '' });
  const create = (can_mention_group: number) =>
    ada.api.createUserGroup({ name: fresh('bakers'), description: '', can_mention_group });
  const { 'role:owners': owners, 'role:internet': internet, ...others } = roles;
  for (const id of [cooks, ...Object.values(others)]) {
    expect((await shown(ada, (await create(id)).group_id))?.can_mention_group).toBe(id);
  }
  const other = await chat.otherRealm(`mentioners${made++}`);
  const foreign = (await other.owner.api.getUserGroups()).user_groups[4]?.id ?? 0;
  for (const id of [owners, internet, foreign, 987_654_321]) {
    await expectError('BAD_REQUEST', create(id), /^can_mention_group: /);
  }
});

test('a creation that fails leaves nothing behind', async () => {
  const ada = await chat.user('ada');
  await ada.takeEvents();
  const name = fresh('cooks');
  await expectError('BAD_REQUEST', ada.api.createUserGroup({ name, description: '', members: [987_654_321] }));
  expect((await ada.api.getUserGroups()).user_groups.filter((group) => group.name === name)).toEqual([]);
  expect(await ada.takeEvents('user_group')).toEqual([]);
});

test('creating a group takes the same statements for any number of members', async () => {
  const ada = await chat.user('ada');
  const crowd = await Promise.all(Array.from({ length: 30 }, () => chat.user('eve', { mirrored: false })));
  const cost = (members: number[]) =>
    chat.statements(() => ada.api.createUserGroup({ name: fresh('crowd'), description: '', members }));
  const one = await cost([ada.id]);
  expect(await cost(crowd.map(({ id }) => id))).toBe(one);
  expect(one).toBeLessThanOrEqual(12);
});
