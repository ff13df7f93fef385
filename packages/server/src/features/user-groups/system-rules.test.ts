import { expect, test } from 'vitest';
import { type GroupSetting, listSystemGroupsOf, settingGroupProblem } from './rules/system.ts';

const now = new Date('2030-01-10T12:00:00Z');
const facts = { waiting_period_threshold: 3, now };
const days = (count: number) => new Date(now.getTime() - count * 86_400_000);

test.each([
  ['owner', 100, 0, ['role:owners']],
  ['administrator', 200, 9, ['role:administrators']],
  ['moderator', 300, 9, ['role:moderators']],
  ['member whose waiting period is not over', 400, 2.999, ['role:members']],
  ['member whose waiting period is over', 400, 3, ['role:members', 'role:fullmembers']],
  ['guest', 600, 9, ['role:everyone']],
])('listSystemGroupsOf: %s', (_case, role, age, groups) => {
  expect(listSystemGroupsOf({ role, date_joined: days(age) }, facts)).toEqual(groups);
});

const system = (name: string) => ({ name, is_system_group: true });
const chain = ['role:administrators', 'role:moderators', 'role:fullmembers', 'role:members'];
const allowed: Record<GroupSetting, string[]> = {
  can_remove_subscribers_group: [...chain, 'role:nobody', 'role:everyone'],
  can_mention_group: [...chain, 'role:nobody', 'role:everyone'],
  create_multiuse_invite_group: [...chain, 'role:nobody'],
  can_access_all_users_group: ['role:everyone', 'role:members'],
};
const all = [...chain, 'role:nobody', 'role:everyone', 'role:owners', 'role:internet'];

// shows: 2.17
test.each(Object.entries(allowed) as [GroupSetting, string[]][])(
  '%s can be exactly these system groups',
  (setting, names) => {
    const may = all.filter((name) => settingGroupProblem(setting, system(name)) === undefined);
    expect(may.sort()).toEqual([...names].sort());
  },
);

// shows: 2.17
test.each(Object.keys(allowed) as GroupSetting[])(
  'a group that users created can be given to %s only where the table allows it',
  (setting) => {
    const problem = settingGroupProblem(setting, { name: 'cooks', is_system_group: false });
    if (setting === 'can_mention_group') expect(problem).toBeUndefined();
    else expect(problem).toContain(setting);
  },
);
