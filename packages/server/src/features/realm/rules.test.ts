import { expect, test } from 'vitest';
import { canMentionEveryone, canUnderPolicy, isFullMember } from './rules.ts';

const now = new Date('2030-01-10T12:00:00Z');
const facts = { waiting_period_threshold: 3, now };
const joined = (days: number) => new Date(now.getTime() - days * 86_400_000);
const users = {
  owner: { role: 100, date_joined: joined(0) },
  administrator: { role: 200, date_joined: joined(0) },
  moderator: { role: 300, date_joined: joined(0) },
  full: { role: 400, date_joined: joined(3) },
  member: { role: 400, date_joined: joined(2.9) },
  guest: { role: 600, date_joined: joined(9) },
};
const names = Object.keys(users) as (keyof typeof users)[];

test.each([
  [1, ['owner', 'administrator', 'moderator', 'full', 'member']],
  [2, ['owner', 'administrator']],
  [3, ['owner', 'administrator', 'moderator', 'full']],
  [4, ['owner', 'administrator', 'moderator']],
  [5, names],
  [6, []],
  [7, ['owner']],
  [8, []],
])('policy %i allows exactly %j', (policy, allowed) => {
  expect(names.filter((name) => canUnderPolicy(policy, users[name], facts))).toEqual(allowed);
});

// shows: 4.4.26
test.each([
  [1, names],
  [2, ['owner', 'administrator', 'moderator', 'full', 'member']],
  [3, ['owner', 'administrator', 'moderator', 'full']],
  [5, ['owner', 'administrator']],
  [6, []],
  [7, ['owner', 'administrator', 'moderator']],
])('wildcard_mention_policy %i allows exactly %j', (policy, allowed) => {
  expect(names.filter((name) => canMentionEveryone(policy, users[name], facts))).toEqual(allowed);
});

test('a member is a full member after the whole waiting period', () => {
  expect(isFullMember({ role: 400, date_joined: joined(2.9999) }, facts)).toBe(false);
  expect(isFullMember({ role: 400, date_joined: joined(3) }, facts)).toBe(true);
  expect(isFullMember({ role: 400, date_joined: now }, { ...facts, waiting_period_threshold: 0 })).toBe(true);
});
