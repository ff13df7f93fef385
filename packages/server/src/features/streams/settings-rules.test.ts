import { expect, test } from 'vitest';
import { ROLE } from '../../access/roles.ts';
import type { Realm } from '../../core/context.ts';
import { defaultSettings } from '../realm/index.ts';
import { canSetRetention, creationProblem, hasSharedHistory, retentionDays } from './rules/settings.ts';

const { owner, administrator, moderator, member } = ROLE;
const ada = { id: 7, full_name: 'Ada', role: member, date_joined: new Date('2026-01-01T00:00:00Z') };
const now = new Date('2026-03-10T00:00:00Z');

const realm = (settings: Partial<Realm['settings']> = {}, web_public_streams_enabled = false) =>
  ({ settings: { ...defaultSettings, ...settings }, web_public_streams_enabled }) as Realm;
const plain = { invite_only: false, is_web_public: false, is_default_stream: false };
const secret = { ...plain, invite_only: true };
const web = { ...plain, is_web_public: true };
const spectators = { enable_spectator_access: true, create_web_public_stream_policy: 4 as const };

// shows: 4.1.11
test.each([
  ['members create public streams', member, realm(), plain, undefined],
  ['unless the policy says otherwise', member, realm({ create_public_stream_policy: 4 }), plain, /public/],
  ['which is not the policy for private ones', member, realm({ create_public_stream_policy: 4 }), secret, undefined],
  ['private ones have their own', moderator, realm({ create_private_stream_policy: 2 }), secret, /private/],
  ['web-public ones need the server', owner, realm(spectators), web, /server/],
  ['and the organization', owner, realm({}, true), web, /organization/],
  ['and a policy of their own', member, realm(spectators, true), web, /web-public/],
  ['which a moderator passes here', moderator, realm(spectators, true), web, undefined],
  ['nothing is web-public and private', owner, realm(spectators, true), { ...web, invite_only: true }, /private/],
  ['administrators create default streams', administrator, realm(), { ...plain, is_default_stream: true }, undefined],
  ['no other role can', moderator, realm(), { ...plain, is_default_stream: true }, /[Aa]dministrators/],
  ['none is private', owner, realm(), { ...secret, is_default_stream: true }, /private/],
] as const)('creating streams: %s', (_case, role, where, params, problem) => {
  const said = creationProblem({ ...ada, role }, where, params, now);
  if (problem === undefined) expect(said).toBeUndefined();
  else expect(said?.text).toMatch(problem);
});

// shows: 2.13
test('only owners can set a retention; all users can leave it to the organization', () => {
  expect(
    [undefined, 'realm_default', 'unlimited', 30].map((days) => canSetRetention({ role: administrator }, days as 30)),
  ).toEqual([true, true, false, false]);
  expect(canSetRetention({ role: owner }, 'unlimited')).toBe(true);
  expect([undefined, 'realm_default', 'unlimited', 30].map((days) => retentionDays(days as 30))).toEqual([
    null,
    null,
    -1,
    30,
  ]);
});

test('history is shared with new subscribers, except in private streams without the parameter', () => {
  expect(
    [
      plain,
      { ...plain, history_public_to_subscribers: false },
      secret,
      { ...secret, history_public_to_subscribers: true },
    ].map(hasSharedHistory),
  ).toEqual([true, true, false, true]);
});
