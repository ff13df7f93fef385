// Each rule against the tables of docs/behaviour/streams.md#who-can-see-a-stream and
// docs/behaviour/messages.md#who-can-read-a-message.
import { expect, test } from 'vitest';
import { archived, guarded, open, shared, web } from '../../test/fixtures/stream-facts.ts';
import { ROLE } from './roles.ts';
import { canAccessStream, canReadMessage, canReadStreamContent, canSeeStream } from './rules.ts';

const { owner, administrator, moderator, member, guest } = ROLE;

test.each([
  // stream, role, subscribed, sees, has access, reads
  ['a web-public one, a guest', web, guest, false, true, true, false],
  ['a web-public one, a guest in it', web, guest, true, true, true, true],
  ['a web-public one, a member', web, member, false, true, true, true],
  ['a public one, a member', open, member, false, true, true, true],
  ['a public one, a guest', open, guest, false, false, false, false],
  ['a public one, a guest in it', open, guest, true, true, true, true],
  ['a private one, a member', shared, member, false, false, false, false],
  ['a private one, a moderator', shared, moderator, false, false, false, false],
  ['a private one, a member in it', shared, member, true, true, true, true],
  ['a private one, a guest in it', shared, guest, true, true, true, true],
  ['a private one, an administrator', shared, administrator, false, true, false, false],
  ['a private one, an owner', shared, owner, false, true, false, false],
  ['a private one, an administrator in it', shared, administrator, true, true, true, true],
  ['an archived one, an owner in it', archived, owner, true, false, false, false],
] as const)('access to a stream: %s', (_case, stream, role, subscribed, ...expected) => {
  const rules = [canSeeStream, canAccessStream, canReadStreamContent];
  expect(rules.map((rule) => rule({ role }, stream, subscribed))).toEqual(expected);
});

test.each([
  // stream, role, subscribed, in the history, reads
  ['a direct one, a participant', undefined, guest, true, true, true],
  ['a direct one, an owner who takes no part', undefined, owner, false, false, false],
  ['of a public stream, a member', open, member, false, false, true],
  ['of a public stream, a guest who has left', open, guest, false, true, false],
  ['of a web-public stream, a guest', web, guest, false, false, false],
  ['of a private stream with shared history, a new subscriber', shared, member, true, false, true],
  ['of a private stream with protected history, a new subscriber', guarded, member, true, false, false],
  ['of a private stream with protected history, a subscriber who received it', guarded, member, true, true, true],
  ['of a private stream, a member who has left', guarded, member, false, true, false],
  ['of a private stream, an owner', shared, owner, false, false, false],
  ['of an archived stream, a subscriber', archived, member, true, true, false],
] as const)('reading a message: %s', (_case, stream, role, subscribed, in_history, reads) => {
  expect(canReadMessage({ role }, stream, { subscribed, in_history })).toBe(reads);
});
