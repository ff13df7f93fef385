import { expect, test } from 'vitest';
import {
  canEditGroups,
  changesProblem,
  editProblem,
  groupNameProblem,
  listGroupChanges,
  memberChangesProblem,
} from './rules/edit.ts';

const now = new Date('2030-01-10T12:00:00Z');
const days = (count: number) => new Date(now.getTime() - count * 86_400_000);
const users = {
  owner: { role: 100, date_joined: days(0) },
  administrator: { role: 200, date_joined: days(0) },
  moderator: { role: 300, date_joined: days(0) },
  'full member': { role: 400, date_joined: days(3) },
  'new member': { role: 400, date_joined: days(2.999) },
  guest: { role: 600, date_joined: days(9) },
};

test.each([
  [1, ['owner', 'administrator', 'moderator', 'full member', 'new member']],
  [2, ['owner', 'administrator']],
  [3, ['owner', 'administrator', 'moderator', 'full member']],
  [4, ['owner', 'administrator', 'moderator']],
])('user_group_edit_policy %i lets these edit groups: %j', (user_group_edit_policy, allowed) => {
  const settings = { user_group_edit_policy, waiting_period_threshold: 3 } as const;
  const may = Object.entries(users).filter(([, person]) => canEditGroups(person, settings as never, now));
  expect(may.map(([who]) => who)).toEqual(allowed);
});

const made = { name: 'cooks', is_system_group: false };
const system = { name: 'role:members', is_system_group: true };
test.each([
  ['owner', system, true, /role:members/],
  ['owner', made, false, undefined],
  ['moderator', made, false, undefined],
  ['full member', made, true, undefined],
  ['full member', made, false, /"cooks"/],
] as const)('editProblem: %s, %j, a direct member: %j', (who, group, is_member, problem) => {
  const found = editProblem(users[who], group, is_member);
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});

test.each([
  ['', /empty/],
  ['a'.repeat(101), /100/],
  ['@cooks', /"@"/],
  ['role:cooks', /"role:"/],
  ['user:cooks', /"user:"/],
  ['stream:cooks', /"stream:"/],
  ['channel:cooks', /"channel:"/],
  ['co\noks', /position 3/],
])('no group can be named %j', (name, problem) => expect(groupNameProblem(name)).toMatch(problem));

test.each(['🍲'.repeat(100), 'Role:cooks', 'cooks@home', 'my role: cook', 'stream', "l'équipe", '*stars*'])(
  'a group can be named %j',
  (name) => expect(groupNameProblem(name)).toBeUndefined(),
);

test('a request without a change is invalid', () => {
  expect(changesProblem({})).toMatch(/name, description or can_mention_group/);
  expect(changesProblem({ description: '' })).toBeUndefined();
  expect(changesProblem({ description: 'x'.repeat(10_001) })).toMatch(/^description: .*10000/);
});

test('a present value is no change', () => {
  const group = { name: 'cooks', description: '', can_mention_group: 7 };
  expect(listGroupChanges(group, { name: 'cooks', description: '', can_mention_group: 7 })).toEqual({});
  expect(listGroupChanges(group, { name: 'Cooks', can_mention_group: 7 })).toEqual({ name: 'Cooks' });
});

const facts = { noun: 'user', known: new Set([1, 2, 3]), inside: new Set([1]) } as const;
test.each([
  ['neither', { add: [], remove: [] }, /add, delete or both/, 'invalid'],
  ['an unknown user to add', { add: [2, 9], remove: [] }, /^add: there is no user 9\./, 'not_found'],
  ['an unknown user to remove', { add: [2], remove: [1, 9] }, /^delete: there is no user 9\./, 'not_found'],
  ['a user who is a member', { add: [1], remove: [1] }, /^add: the user 1 is/, 'conflict'],
  ['a user who is no member', { add: [2], remove: [3] }, /^delete: the user 3 is not/, 'conflict'],
  ['a user who is added and removed', { add: [2], remove: [2, 1] }, undefined, undefined],
])('memberChangesProblem: %s', (_case, exchange, problem, reason) => {
  const found = memberChangesProblem(exchange, facts);
  expect(found?.reason).toBe(reason);
  if (problem) expect(found?.text).toMatch(problem);
});
