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
const fresh = (name: string) => `${name} ${made++}`;
const shown = async (id: number) => (await chat.owner.api.getUserGroups()).user_groups.find((group) => group.id === id);

/** A group that Ada created and is in, without pending events for Ben. */
async function createFixture(params: { description?: string; can_mention_group?: number } = {}) {
  const [ada, ben] = await chat.users('ada', 'ben');
  const name = fresh('cooks');
  const { group_id } = await ada.api.createUserGroup({ name, description: '', members: [ada.id], ...params });
  await ben.takeEvents();
  return { ada, ben, name, id: group_id };
}
const event = (rest: object) => ({ id: expect.any(Number), type: 'user_group', ...rest });
const heardBy = (person: TestUser) => person.takeEvents('user_group');

// shows: 4.15.2
test('all users receive an event for each changed property', async () => {
  const { ada, ben, id } = await createFixture();
  const gus = await chat.user('gus', { role: 'guest' });
  const params = { name: fresh('bakers'), description: 'Who *bakes*.', can_mention_group: roles['role:nobody'] };
  await ada.api.updateUserGroup({ user_group_id: id, ...params });
  expect(await shown(id)).toMatchObject(params);
  const events = Object.entries(params).map(([name, value]) => ({
    op: 'update',
    group_id: id,
    data: { [name]: value },
  }));
  for (const person of [ada, ben, gus]) expect((await heardBy(person)).slice(-3)).toEqual(events.map(event));
});

test('a present value succeeds and emits no event', async () => {
  const { ada, ben, name, id } = await createFixture({ description: 'Who cooks.' });
  const same = { description: 'Who cooks.', can_mention_group: roles['role:everyone'] };
  await ada.api.updateUserGroup({ user_group_id: id, name: ` ${name} `, ...same });
  await ada.api.updateUserGroup({ user_group_id: id, ...same, description: '' });
  expect(await heardBy(ben)).toEqual([event({ op: 'update', group_id: id, data: { description: '' } })]);
});

test('a request without a change fails', async () => {
  const { ada, id } = await createFixture();
  const errorResponse = ada.api.updateUserGroup({ user_group_id: id });
  await expectError('BAD_REQUEST', errorResponse, /name, description or can_mention_group/);
});

test('a group can be renamed to a name that differs in case only, its own one too, but not to that of another group', async () => {
  const { ada, name, id } = await createFixture();
  const other = fresh('bakers');
  await ada.api.createUserGroup({ name: other, description: '' });
  await ada.api.updateUserGroup({ user_group_id: id, name: name.toUpperCase() });
  await ada.api.updateUserGroup({ user_group_id: id, name: other.toUpperCase() });
  await expectError('BAD_REQUEST', ada.api.updateUserGroup({ user_group_id: id, name: other }), new RegExp(other));
  for (const bad of ['', ' ', '@x', 'role:x', 'user:x', 'stream:x', 'channel:x', 'x'.repeat(101)]) {
    await expectError('BAD_REQUEST', ada.api.updateUserGroup({ user_group_id: id, name: bad }), /^name: /);
  }
  await expectError(
    'BAD_REQUEST',
    ada.api.updateUserGroup({ user_group_id: id, description: 'x'.repeat(10_001) }),
    /^description: /,
  );
});

test('a request with one invalid value changes nothing', async () => {
  const { ada, ben, name, id } = await createFixture();
  const half = { user_group_id: id, name: fresh('bakers'), can_mention_group: roles['role:owners'] };
  await expectError('BAD_REQUEST', ada.api.updateUserGroup(half), /^can_mention_group: .*role:owners/);
  expect((await shown(id))?.name).toBe(name);
  expect(await heardBy(ben)).toEqual([]);
});

// shows: 2.60
test('can_mention_group is any group except those of owners and of the internet, the group itself included', async () => {
  const { ada, id } = await createFixture();
  const other = await chat.otherRealm(`mentioners${made++}`);
  const foreign = (await other.owner.api.getUserGroups()).user_groups[4]?.id ?? 0;
  for (const can_mention_group of [id, roles['role:nobody'], roles['role:members']]) {
    await ada.api.updateUserGroup({ user_group_id: id, can_mention_group });
    expect((await shown(id))?.can_mention_group).toBe(can_mention_group);
  }
  for (const can_mention_group of [roles['role:owners'], roles['role:internet'], foreign, 987_654_321]) {
    const errorResponse = ada.api.updateUserGroup({ user_group_id: id, can_mention_group });
    await expectError('BAD_REQUEST', errorResponse, /^can_mention_group: /);
  }
});

test.each(['"7"', '7.5', 'role:members', '{"id":7}', '[7]', '-'])(
  'can_mention_group is a plain integer, not %s',
  async (text) => {
    const { ada, id } = await createFixture();
    const answer = await chat.fetch(`/api/v1/user_groups/${id}`, {
      method: 'PATCH',
      headers: { Authorization: `Basic ${Buffer.from(`${ada.email}:${ada.apiKey}`).toString('base64')}` },
      body: new URLSearchParams({ can_mention_group: text }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'BAD_REQUEST', msg: expect.stringContaining('an integer') });
  },
);

test('a deleted group does not exist, all users receive the event, and its name can be used again', async () => {
  const { ada, ben, name, id } = await createFixture();
  const gus = await chat.user('gus', { role: 'guest' });
  await ben.takeEvents();
  await ada.api.deleteUserGroup({ user_group_id: id });
  expect(await shown(id)).toBeUndefined();
  for (const person of [ben, gus]) expect(await heardBy(person)).toEqual([event({ op: 'remove', group_id: id })]);
  const calls = [
    () => ada.api.deleteUserGroup({ user_group_id: id }),
    () => ada.api.updateUserGroup({ user_group_id: id, name: 'x' }),
    () => ada.api.getUserGroupMembers({ user_group_id: id }),
  ];
  for (const call of calls) await expectError('BAD_REQUEST', call(), new RegExp(`there is no user group ${id}`));
  expect((await ada.api.createUserGroup({ name, description: '' })).group_id).not.toBe(id);
});

test('a group that is the can_mention_group of another one cannot be deleted', async () => {
  const { ada, ben, name, id } = await createFixture();
  const bakers = fresh('bakers');
  const { group_id } = await ada.api.createUserGroup({
    name: bakers,
    description: '',
    members: [ada.id],
    can_mention_group: id,
  });
  await ben.takeEvents();
  const errorResponse = ada.api.deleteUserGroup({ user_group_id: id });
  await expectError('BAD_REQUEST', errorResponse, new RegExp(`"${name}".*can_mention_group.*"${bakers}"`));
  expect(await heardBy(ben)).toEqual([]);
  await ada.api.updateUserGroup({ user_group_id: group_id, can_mention_group: roles['role:everyone'] });
  await ada.api.deleteUserGroup({ user_group_id: id });
});

test('a group that only its own members can mention can be deleted', async () => {
  const { ada, id } = await createFixture();
  await ada.api.updateUserGroup({ user_group_id: id, can_mention_group: id });
  await ada.api.deleteUserGroup({ user_group_id: id });
  expect(await shown(id)).toBeUndefined();
});

test('a deleted group is no subgroup any more', async () => {
  const { ada, id } = await createFixture();
  const { group_id } = await ada.api.createUserGroup({ name: fresh('all'), description: '', members: [ada.id] });
  await ada.api.updateUserGroupSubgroups({ user_group_id: group_id, add: [id] });
  await ada.api.deleteUserGroup({ user_group_id: id });
  expect(await shown(group_id)).toMatchObject({ direct_subgroup_ids: [] });
});

test('a message that mentions a deleted group stays as it was', async () => {
  const { ada, ben, name, id } = await createFixture();
  const message_id = await chat.message({ from: ben, to: [ada], content: `@*${name}* soup!` });
  const before = await ada.api.getMessage({ message_id });
  expect(before.message.flags).toContain('mentioned');
  await ada.api.deleteUserGroup({ user_group_id: id });
  expect(await ada.api.getMessage({ message_id })).toEqual(before);
});
