import { expect, test } from 'vitest';
import { ROLE } from '../../access/roles.ts';
import type { Realm } from '../../core/context.ts';
import { defaultSettings } from '../realm/index.ts';
import { renderChangeNotice } from './notices.ts';
import {
  applySettings,
  changeProblem,
  isMetadata,
  listChangedProperties,
  type StreamProperties,
  type StreamUpdateParams,
} from './rules/change.ts';

const open: StreamProperties = {
  name: 'soup',
  description: 'Hot.',
  invite_only: false,
  is_web_public: false,
  history_public_to_subscribers: true,
  is_default: false,
  stream_post_policy: 1,
  message_retention_days: null,
  can_remove_subscribers_group: 3,
};
const web = { ...open, is_web_public: true };
const shared = { ...open, invite_only: true };
const protectedStream = { ...shared, history_public_to_subscribers: false };
const after = (before: StreamProperties, params: StreamUpdateParams) =>
  listChangedProperties(before, applySettings(before, params));

// shows: 2.11 [an announcement stream has policy 2], 2.14 [messages are kept for ever]
// shows: 9.18 [an announcement stream has policy 2]
test.each([
  // Before, given, and the changes.
  ['nothing given', open, {}, {}],
  ['nothing new', shared, { is_private: true, description: ' Hot.\n' }, {}],
  ['a name is trimmed', open, { new_name: ' tea ' }, { name: 'tea' }],
  ['a description is one line', open, { description: 'Hot\nand salty.' }, { description: 'Hot and salty.' }],
  [
    'a stream that becomes private keeps its history from newcomers',
    open,
    { is_private: true },
    { invite_only: true, history_public_to_subscribers: false },
  ],
  ['unless it says otherwise', open, { is_private: true, history_public_to_subscribers: true }, { invite_only: true }],
  ['a private stream stays as open to newcomers as it was', shared, { is_private: true }, {}],
  ['or not', shared, { history_public_to_subscribers: false }, { history_public_to_subscribers: false }],
  [
    'the history of a public stream is public',
    protectedStream,
    { is_private: false, history_public_to_subscribers: false },
    { invite_only: false, history_public_to_subscribers: true },
  ],
  ['and stays so', open, { history_public_to_subscribers: false }, {}],
  [
    'to become web-public is to stop being private',
    protectedStream,
    { is_web_public: true },
    { is_web_public: true, invite_only: false, history_public_to_subscribers: true },
  ],
  [
    'to become private is to stop being web-public',
    web,
    { is_private: true },
    { is_web_public: false, invite_only: true, history_public_to_subscribers: false },
  ],
  ['a web-public stream that is not private stays one', web, { is_private: false }, {}],
  ['and without being web-public is public', web, { is_web_public: false }, { is_web_public: false }],
  ['an announcement stream has policy 2', open, { is_announcement_only: true }, { stream_post_policy: 2 }],
  ['and without has 1', { ...open, stream_post_policy: 2 }, { is_announcement_only: false }, { stream_post_policy: 1 }],
  ['if it was one', { ...open, stream_post_policy: 3 }, { is_announcement_only: false }, {}],
  [
    'the newer parameter outweighs the old',
    open,
    { is_announcement_only: true, stream_post_policy: 4 },
    { stream_post_policy: 4 },
  ],
  ['messages are kept for ever', open, { message_retention_days: 'unlimited' }, { message_retention_days: -1 }],
  [
    'or as the organization says',
    { ...open, message_retention_days: 7 },
    { message_retention_days: 'realm_default' },
    { message_retention_days: null },
  ],
] as const)('changing a stream: %s', (_case, before, params, changes) => {
  expect(after(before, params)).toEqual(changes);
});

const who = (role: number, allowed: boolean) => ({
  me: { role, date_joined: new Date(0) },
  realm: {
    settings: { ...defaultSettings, enable_spectator_access: allowed, create_web_public_stream_policy: 7 as const },
    web_public_streams_enabled: true,
  } as Realm,
  now: new Date(),
});
const { owner, administrator } = ROLE;

test.each([
  ['a free name', owner, true, open, { new_name: 'tea' }, undefined],
  ['only the case of the name', owner, true, open, { new_name: 'Soup' }, undefined],
  ['the name it has', owner, true, open, { new_name: ' soup' }, /^new_name: .*already/],
  ['no name', owner, true, open, { new_name: ' ' }, /^new_name: .*empty/],
  ['an invalid name', owner, true, open, { new_name: 'a\u0007' }, /^new_name: .*position 2/],
  ['a long description', owner, true, open, { description: 'x'.repeat(1025) }, /^description: .*1024/],
  ['web-public', owner, true, open, { is_web_public: true }, undefined],
  ['web-public, without being allowed to create such', administrator, true, open, { is_web_public: true }, /^is_web_p/],
  ['web-public, where there are no spectators', owner, false, open, { is_web_public: true }, /organization/],
  ['web-public as it was', administrator, false, web, { is_web_public: true }, undefined],
  ['web-public and private', owner, true, web, { is_web_public: true, is_private: true }, /cannot be private/],
  ['a private default stream', owner, true, shared, { is_default_stream: true }, /^is_default_stream: /],
  ['a default stream, private', owner, true, { ...open, is_default: true }, { is_private: true }, /^is_private: /],
  [
    'a default stream, private and no longer default',
    owner,
    true,
    { ...open, is_default: true },
    { is_private: true, is_default_stream: false },
    undefined,
  ],
] as const)('the error of a change of a stream: %s', (_case, role, allowed, before, params, problem) => {
  const said = changeProblem(who(role, allowed), { before, after: applySettings(before, params), params });
  if (problem === undefined) expect(said).toBeUndefined();
  else expect(said?.text).toMatch(problem);
});

test('of a private stream only the name and the description can be changed without a subscription', () => {
  const changes: StreamUpdateParams[] = [
    {},
    { new_name: 'a', description: 'b' },
    { is_private: false },
    { new_name: 'a', is_private: true },
  ];
  expect(changes.map(isMetadata)).toEqual([true, true, false, false]);
});

const ada = { id: 7, full_name: 'Ada' };
test.each([
  ['the posting policy', { stream_post_policy: 3 }, ['who can post', '**everyone**', '**full members only**']],
  ['a name that looks like a mention', { name: '@**all**' }, ['`soup`', '`@**all**`']],
  ['a description that looks like an end', { description: '```' }, ['``` quote\nHot.\n```', '``` quote\n\\```\n```']],
  ['an empty description', { description: '' }, ['**New description:**\n\n``` quote\n*No description.*\n```']],
  ['privacy', { invite_only: true }, ['**Public**', '**Private, shared history**']],
  ['retention', { message_retention_days: 1 }, ['**as long as the organization says**', '**1 day**']],
] as const)('the notice of a change has its actor, and the old and new value: %s', (_case, changes, parts) => {
  const notice = renderChangeNotice(ada, open, { ...open, ...changes });
  expect(notice).toMatch(/^@_\*\*Ada\|7\*\* changed/);
  for (const part of parts) expect(notice).toContain(part);
});

test('changes of can_remove_subscribers_group and is_default write no notice', () => {
  expect(renderChangeNotice(ada, open, { ...open, can_remove_subscribers_group: 4, is_default: true })).toBeUndefined();
});
