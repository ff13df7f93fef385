import { expect, test } from 'vitest';
import { ROLE } from '../../access/roles.ts';
import { countWeeklyTraffic, isListed, type StreamSources } from './rules/list.ts';
import { postingProblem, streamKey } from './rules/posting.ts';

const open = { invite_only: false, is_web_public: false, archived_at: null };
const web = { ...open, is_web_public: true };
const secret = { ...open, invite_only: true };
const { owner, administrator, moderator, member, guest } = ROLE;

const now = new Date('2026-03-10T00:00:00Z');
const policy_facts = { waiting_period_threshold: 3, now };
const longAgo = new Date('2026-01-01T00:00:00Z');
const person = (role: number, date_joined = longAgo) => ({ role, date_joined, is_system_bot: false });
const recent = new Date('2026-03-08T00:00:00Z');
const post = (stream_post_policy: number, privacy = open) => ({ ...privacy, name: 'kitchen', stream_post_policy });
const nobody = undefined;
const allowed = undefined;

// shows: 2.12 [anyone posts under policy 1], 2.12 [administrators alone under 2], 2.12 [full members under 3]
// shows: 2.12 [a new member is none], 2.12 [moderators under 4], 2.12 [a member is no moderator]
test.each([
  ['anyone posts under policy 1', post(1), person(member), nobody, allowed],
  ['a guest who is not in the public stream does not', post(1), person(guest), nobody, /"kitchen"/],
  ['a guest posts in a web-public stream', post(1, web), person(guest), nobody, allowed],
  ['administrators alone under 2', post(2), person(moderator), nobody, /Only administrators/],
  ['an administrator under 2', post(2), person(administrator), nobody, allowed],
  ['full members under 3', post(3), person(member), nobody, allowed],
  ['a new member is none', post(3), person(member, recent), nobody, /Only full members/],
  ['a new moderator is one', post(3), person(moderator, recent), nobody, allowed],
  ['moderators under 4', post(4), person(moderator), nobody, allowed],
  ['a member is no moderator', post(4), person(member), nobody, /moderators/],
  ['a guest passes no policy but 1', post(3, web), person(guest), nobody, /Only full members/],
  [
    'an administrator passes any policy, but not the door of a private stream',
    post(2, secret),
    person(administrator),
    nobody,
    /"kitchen"/,
  ],
  ['a bot passes where its owner does', post(2), person(member), person(owner), allowed],
  ['and not where neither does', post(2), person(member), person(member), /Only administrators/],
] as const)('posting: %s', (_case, stream, me, owner, problem) => {
  const said = postingProblem({
    me,
    owner,
    stream,
    subscribed: false,
    owner_subscribed: false,
    policy_facts,
  });
  if (problem === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(problem);
});

test('posting: a bot can post to a private stream of its owner, and each check passes by the bot or the owner', () => {
  const facts = { stream: post(2, secret), policy_facts };
  const [bot, boss] = [person(administrator), person(member)];
  expect(postingProblem({ ...facts, me: bot, owner: boss, subscribed: false, owner_subscribed: true })).toBeUndefined();
  expect(postingProblem({ ...facts, me: bot, owner: boss, subscribed: false, owner_subscribed: false })).toMatch(
    /"kitchen"/,
  );
});

test('posting: the Notification Bot always can', () => {
  const me = { ...person(member), is_system_bot: true };
  expect(
    postingProblem({
      me,
      owner: undefined,
      stream: post(2, secret),
      subscribed: false,
      owner_subscribed: false,
      policy_facts,
    }),
  ).toBeUndefined();
});

const none: StreamSources = {
  include_public: false,
  include_web_public: false,
  include_subscribed: false,
  include_all_active: false,
  include_default: false,
  include_owner_subscribed: false,
};
const plain = { ...open, is_default: false, subscribed: false, owner_subscribed: false };

// shows: 4.3.1 [a public one], 4.3.2 [a web-public one, to a guest], 4.3.5 [a default one]
// shows: 4.3.6 [one that the owner is in]
test.each([
  ['nothing without a source', member, { ...plain, subscribed: true, is_default: true }, none, false],
  ['a public one', member, plain, { ...none, include_public: true }, true],
  ['a private one is not public', member, { ...plain, ...secret }, { ...none, include_public: true }, false],
  ['a web-public one is public too', member, { ...plain, ...web }, { ...none, include_public: true }, true],
  ['to a guest nothing is public', guest, plain, { ...none, include_public: true }, false],
  ['a web-public one, to a guest', guest, { ...plain, ...web }, { ...none, include_web_public: true }, true],
  ['one that they are in', guest, { ...plain, subscribed: true }, { ...none, include_subscribed: true }, true],
  ['a default one', member, { ...plain, is_default: true }, { ...none, include_default: true }, true],
  [
    'a default one that a guest cannot see',
    guest,
    { ...plain, is_default: true },
    { ...none, include_default: true },
    false,
  ],
  [
    'one that the owner is in',
    member,
    { ...plain, ...secret, owner_subscribed: true },
    { ...none, include_owner_subscribed: true },
    true,
  ],
  ['all, whatever else', administrator, { ...plain, ...secret }, { ...none, include_all_active: true }, true],
] as const)('listing streams: %s', (_case, role, stream, sources, listed) => {
  expect(isListed({ role }, stream, sources)).toBe(listed);
});

// shows: 2.18
test.each([
  ['younger than a week', 6, 500, null],
  ['no messages', 7, 0, 0],
  ['one message in four weeks', 100, 1, 1],
  ['in its second week, by its age', 10, 20, 14],
  ['older than four weeks, by four weeks', 365, 80, 20],
  ['two digits', 28, 4 * 1234, 1200],
  ['rounded', 28, 4 * 1260, 1300],
  ['small numbers as they are', 28, 4 * 99, 99],
] as const)('weekly traffic: %s', (_case, age, recent_messages, traffic) => {
  expect(countWeeklyTraffic(age, recent_messages)).toBe(traffic);
});

test('stream names ignore case', () => expect(streamKey('Küche')).toBe(streamKey('KÜCHE')));
