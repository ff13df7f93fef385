// An object of another organization is reported as unknown, in every operation that takes the id of a group.
import { operations } from '@parley/openapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat, type TestUser } from '../../../test/chat.ts';

let chat: Chat;
let stranger: TestUser;
let here: { group: number; system: number; user: number };
let theirs: { group: number; user: number };
const UNKNOWN = 987_654_321;

beforeAll(async () => {
  chat = await startChat();
  const other = await chat.otherRealm('elsewhere');
  stranger = other.owner;
  const create = async ({ api, id }: TestUser) =>
    (await api.createUserGroup({ name: 'cooks', description: '', members: [id] })).group_id;
  const system = (await chat.owner.api.getUserGroups()).user_groups[4]?.id ?? 0;
  here = { group: await create(chat.owner), system, user: chat.owner.id };
  theirs = { group: await create(stranger), user: stranger.id };
});
afterAll(() => chat.close());

/** The response with the id replaced. */
async function answer(id: string, params: object, taken: number): Promise<string> {
  const call = stranger.api[id as 'getUserGroupMembers'] as (params: object) => Promise<object>;
  const outcome = await call(params).catch((error: { body: object }) => error.body);
  return JSON.stringify(outcome).replaceAll(new RegExp(`\\b${taken}\\b`, 'g'), 'ID');
}

const walked = Object.entries(operations).flatMap(([id, { params }]) => ('user_group_id' in params ? [id] : []));
test('there are operations with a group id', () => expect(walked.length).toBeGreaterThanOrEqual(7));

// shows: 4.15.1
test.each(walked)('%s: a group of another organization is unknown, be it a system group or not', async (id) => {
  const others = { name: 'bakers', user_id: theirs.user };
  const unknown = await answer(id, { ...others, user_group_id: UNKNOWN }, UNKNOWN);
  expect(unknown).toContain('there is no user group ID');
  for (const group of [here.group, here.system]) {
    expect(await answer(id, { ...others, user_group_id: group }, group)).toBe(unknown);
  }
});

test.each([
  ['createUserGroup', 'can_mention_group', 'group'],
  ['createUserGroup', 'members', 'user'],
  ['updateUserGroup', 'can_mention_group', 'group'],
  ['updateUserGroupMembers', 'add', 'user'],
  ['updateUserGroupMembers', 'delete', 'user'],
  ['updateUserGroupSubgroups', 'add', 'group'],
  ['updateUserGroupSubgroups', 'delete', 'group'],
  ['getUserGroupMembership', 'user_id', 'user'],
  ['updateRealm', 'can_access_all_users_group', 'system'],
] as const)('%s %s: a %s of another organization is unknown', async (id, parameter, kind) => {
  const settings = (value: number) => ({
    ...(id.startsWith('create') ? { name: 'bakers', description: '' } : { user_group_id: theirs.group }),
    [parameter]: ['members', 'add', 'delete'].includes(parameter) ? [value] : value,
  });
  const unknown = await answer(id, settings(UNKNOWN), UNKNOWN);
  expect(unknown).toMatch(/there is no user (group )?ID/i);
  expect(await answer(id, settings(here[kind]), here[kind])).toBe(unknown);
});

test('two organizations can have groups of the same name', async () => {
  const named = async ({ api }: TestUser) =>
    (await api.getUserGroups()).user_groups.flatMap(({ name, id }) => (name === 'cooks' ? [id] : []));
  expect([await named(chat.owner), await named(stranger)]).toEqual([[here.group], [theirs.group]]);
});
