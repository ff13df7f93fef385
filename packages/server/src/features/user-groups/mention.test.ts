// Group mentions (docs/behaviour/messages.md#group-mentions): how changes of groups affect who can mention them and who
// is mentioned.
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
async function group(by: TestUser, members: TestUser[], more: object = {}) {
  const name = `cooks ${made++}`;
  const ids = members.map(({ id }) => id);
  const { group_id: id } = await by.api.createUserGroup({ name, description: '', members: ids, ...more });
  return { id, name, mention: `@*${name}*` };
}
const flagsOf = async (person: TestUser) => (await person.takeEvents('message')).at(-1)?.flags;

test('a new group can be mentioned at once, and the mention reaches its members, guests too', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const gus = await chat.user('gus', { role: 'guest' });
  const to = `room ${made++}`;
  await chat.stream(to, { by: ada, members: [ben, cleo, gus] });
  const cooks = await group(ada, [ben, gus]);
  await gus.api.sendMessage({ type: 'stream', to, topic: 'soup', content: `${cooks.mention} soup!` });
  expect(await Promise.all([ben, cleo, gus].map(flagsOf))).toEqual([['mentioned'], [], ['mentioned']]);
});

test('the mentioned users follow the members and the subgroups', async () => {
  const [ada, ben, cleo] = await chat.users('ada', 'ben', 'cleo');
  const [outer, inner] = [await group(ada, [ada]), await group(ada, [ada, ben])];
  const reached = async () => {
    await chat.message({ from: ada, to: [ben, cleo], content: outer.mention });
    return Promise.all([ben, cleo].map(flagsOf));
  };
  expect(await reached()).toEqual([[], []]);
  await ada.api.updateUserGroupSubgroups({ user_group_id: outer.id, add: [inner.id] });
  expect(await reached()).toEqual([['mentioned'], []]);
  await ada.api.updateUserGroupMembers({ user_group_id: inner.id, add: [cleo.id], delete: [ben.id] });
  expect(await reached()).toEqual([[], ['mentioned']]);
  await ada.api.deleteUserGroup({ user_group_id: inner.id });
  expect(await reached()).toEqual([[], []]);
});

test('only members of can_mention_group can mention a group, and the error names both groups', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const mo = await chat.user('mo', { role: 'moderator' });
  const cooks = await group(ada, [ada, ben], { can_mention_group: roles['role:moderators'] });
  const send = (from: TestUser) => chat.message({ from, to: [ada], content: cooks.mention });
  const both = (allowed: string) => new RegExp(`"${cooks.name}".*"${allowed}"`);
  await send(mo);
  await send(chat.owner);
  await expectError('BAD_REQUEST', send(ben), both('role:moderators'));
  await ada.api.updateUserGroup({ user_group_id: cooks.id, can_mention_group: cooks.id });
  await send(ben);
  await expectError('BAD_REQUEST', send(mo), both(cooks.name));
  await ada.api.updateUserGroupSubgroups({ user_group_id: cooks.id, add: [roles['role:moderators']] });
  await send(mo);
  await ada.api.updateUserGroup({ user_group_id: cooks.id, can_mention_group: roles['role:nobody'] });
  await expectError('BAD_REQUEST', send(chat.owner), both('role:nobody'));
});

test('a renamed group is mentioned by its new name; the old one mentions no user', async () => {
  const [ada, ben] = await chat.users('ada', 'ben');
  const cooks = await group(ada, [ada, ben]);
  const name = `bakers ${made++}`;
  await ada.api.updateUserGroup({ user_group_id: cooks.id, name });
  await chat.message({ from: ada, to: [ben], content: cooks.mention });
  expect(await flagsOf(ben)).toEqual([]);
  await chat.message({ from: ada, to: [ben], content: `@*${name}*` });
  expect(await flagsOf(ben)).toEqual(['mentioned']);
});

test('no user can mention a system group, not even owners', async () => {
  const send = chat.message({ from: chat.owner, to: [chat.owner], content: '@*role:members*' });
  await expectError('BAD_REQUEST', send, /"role:members".*"role:nobody"/);
});
