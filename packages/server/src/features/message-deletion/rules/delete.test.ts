import { describe, expect, test } from 'vitest';
import { deletionProblem } from './delete.ts';

const now = new Date('2030-01-10T12:00:00.900Z');
const sent_at = now.getTime() / 1000 - 600;
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

interface Case {
  /** Whose message it is: the user's own, that of their bot, or another user's. */
  of?: 'own' | 'bot' | 'other';
  policy?: number;
  limit?: number | null;
}

function problem(name: keyof typeof users, { of = 'own', policy = 5, limit = 600 }: Case) {
  const message = { sender: { id: of === 'own' ? 7 : 8 }, sent_at };
  const policy_facts = { waiting_period_threshold: 3, now };
  return deletionProblem({ id: 7, ...users[name] }, message, {
    owner_id: of === 'bot' ? 7 : null,
    policy,
    limit,
    policy_facts,
  });
}

describe.each(['own', 'bot'] as const)('a message of their %s', (of) => {
  test.each([
    [1, ['owner', 'administrator', 'moderator', 'full', 'member']],
    [2, ['owner', 'administrator']],
    [3, ['owner', 'administrator', 'moderator', 'full']],
    [4, ['owner', 'administrator', 'moderator']],
    [5, names],
  ])('under policy %i can be deleted by exactly %j', (policy, allowed) => {
    expect(names.filter((name) => problem(name, { of, policy }) === undefined)).toEqual(allowed);
  });

  test.each([
    ['in the last moment', 600, names],
    ['later', 599.999, ['owner', 'administrator']],
    ['without a limit', null, names],
  ])('can be deleted %s by exactly %j', (_when, limit, allowed) => {
    expect(names.filter((name) => problem(name, { of, limit }) === undefined)).toEqual(allowed);
  });
});

test('messages of others can be deleted by administrators only, under any policy and at any time', () => {
  for (const policy of [1, 2, 3, 4, 5])
    expect(names.filter((name) => problem(name, { of: 'other', policy, limit: 1 }) === undefined)).toEqual([
      'owner',
      'administrator',
    ]);
});

test.each<[string, Case, string, RegExp]>([
  ['that it is not theirs', { of: 'other', policy: 2, limit: 1 }, 'forbidden', /your own/],
  ['that they may not', { policy: 2, limit: 1 }, 'forbidden', /permission/],
  ['that it is too late', { limit: 1 }, 'conflict', /time/],
])('a user who cannot delete a message gets first the error %s', (_what, expected, reason, text) => {
  expect(problem('member', expected)).toEqual({ reason, text: expect.stringMatching(text) });
});
