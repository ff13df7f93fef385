// Which users receive an event, as in docs/behaviour/events.md#audiences.
import { describe, expect, test } from 'vitest';
import { guarded, open, shared, web } from '../../test/fixtures/stream-facts.ts';
import type { Audience } from '../core/event-log/audience.ts';
import { ROLE } from './roles.ts';
import {
  canReceiveEvent,
  canReceiveMessageEvent,
  canSeeStream,
  findListedReceivers,
  getOutsideAudience,
  type MessageEventFacts,
  type ReceiverFacts,
} from './rules.ts';

const { owner, moderator, member, guest } = ROLE;

describe('receiving an event', () => {
  const receiver: ReceiverFacts = {
    user_id: 7,
    role: member,
    is_in_audience: false,
    is_reader: false,
    follows_public_stream: false,
    is_hidden: false,
  };
  test.each<[string, Audience, Partial<ReceiverFacts>, boolean]>([
    ['everyone: a guest', { everyone: true }, { role: guest }, true],
    ['everyone: not after being deactivated', { everyone: true }, { role: undefined }, false],
    ['everyone: not those who are excepted', { everyone: true, except: [7] }, {}, false],
    ['non-guests: a member', { non_guests: true }, {}, true],
    ['non-guests: not a guest', { non_guests: true }, { role: guest }, false],
    ['administrators: an owner', { administrators: true }, { role: owner }, true],
    ['administrators: not a moderator', { administrators: true }, { role: moderator }, false],
    ['a user by id', { users: [3, 7] }, { role: guest }, true],
    ['another user', { users: [3] }, {}, false],
    [
      'users of a conversation: one who is in it',
      { users: [7], users_of: { id: 2, seq: 9 } },
      { is_in_audience: true },
      true,
    ],
    ['users of a conversation: not one who has left', { users: [7], users_of: { id: 2, seq: 9 } }, {}, false],
    [
      'users of a conversation: no other subscriber',
      { users: [3], users_of: { id: 2, seq: 9 } },
      { is_in_audience: true },
      false,
    ],
    ['a conversation: a subscriber', { conversation: { id: 2 } }, { is_in_audience: true }, true],
    ['a message: a reader', { message: { id: 2 } }, { is_reader: true }, true],
    ['all public streams: a member', { public_stream: 2 }, { follows_public_stream: true }, true],
    ['all public streams: not a guest', { public_stream: 2 }, { follows_public_stream: true, role: guest }, false],
    ['no user from whom all of it is hidden', { everyone: true }, { is_hidden: true, is_in_audience: true }, false],
    ['no other user', {}, {}, false],
  ])('%s', (_case, audience, facts, expected) => {
    expect(canReceiveEvent(audience, { ...receiver, ...facts })).toBe(expected);
  });

  const none: MessageEventFacts = {
    can_read: false,
    in_history: false,
    subscribed: false,
    is_archived: false,
    has_left: false,
    is_sent: false,
    by_number: false,
    received: false,
    received_in_public: false,
    was_subscribed: false,
    had_flags: false,
  };
  const left = { can_read: true, has_left: true };
  test.each<[string, Partial<MessageEventFacts>, boolean]>([
    ['not a user who could read it, but had nothing to do with it', { can_read: true }, false],
    ['a subscriber', { can_read: true, subscribed: true }, true],
    ['a user with the message in the history', { can_read: true, in_history: true }, true],
    ['not a subscriber from whom it is hidden', { subscribed: true, in_history: true }, false],
    ['after a move, a user who was subscribed before', { ...left, was_subscribed: true }, true],
    ['after a move, not another subscriber of the new stream', { ...left, subscribed: true }, false],
    ['after a move by number, a user who received it there', { ...left, by_number: true, received: true }, true],
    [
      'after a move by number, one who received it in public',
      { ...left, by_number: true, received_in_public: true },
      true,
    ],
    ['after a move by number, one who had flags on it', { ...left, by_number: true, had_flags: true }, true],
    [
      'after a move by number, not one who was only subscribed',
      { ...left, by_number: true, was_subscribed: true },
      false,
    ],
    ['sent and moved since, a user who received it', { ...left, is_sent: true, by_number: true, received: true }, true],
    [
      'sent and moved since, not one who has it from the move',
      { ...left, is_sent: true, by_number: true, in_history: true },
      false,
    ],
    [
      'moved to a stream that is archived by now, a user who has it there',
      { ...left, can_read: false, by_number: true, is_archived: true, subscribed: true, in_history: true },
      true,
    ],
  ])('about a message: %s', (_case, facts, expected) => {
    expect(canReceiveMessageEvent({ ...none, ...facts })).toBe(expected);
  });
});

test('the audience outside a stream is the users who can see it without a subscription', () => {
  const receiver = {
    user_id: 7,
    is_in_audience: false,
    is_reader: false,
    follows_public_stream: false,
    is_hidden: false,
  };
  for (const stream of [open, web, shared, guarded])
    for (const role of Object.values(ROLE))
      expect(canReceiveEvent(getOutsideAudience(stream), { ...receiver, role })).toBe(
        canSeeStream({ role }, stream, false),
      );
});

/** Audiences with each combination of what an audience can have. */
function* listAudiences(): Generator<Audience> {
  const parts: Audience[] = [
    { everyone: true },
    { non_guests: true },
    { administrators: true },
    { users: [3, 7] },
    { users_of: { id: 2, seq: 9 } },
    { conversation: { id: 2 } },
    { message: { id: 2 } },
    { lost: { message_id: 2, from: { id: 2, seq: 9 }, to: { id: 3, seq: 9 } } },
    { public_stream: 2 },
    { except: [3] },
  ];
  for (let bits = 0; bits < 2 ** parts.length; bits++)
    yield Object.assign({}, ...parts.filter((_, n) => bits & (2 ** n)));
}

test('users outside of the listed receivers of an audience cannot receive the event', () => {
  const facts = { is_in_audience: true, is_reader: true, follows_public_stream: true, is_hidden: false };
  let limited = 0;
  for (const audience of listAudiences()) {
    const only = findListedReceivers(audience);
    if (!only) continue;
    limited++;
    for (const user_id of [3, 7, 8]) {
      const is_reader = audience.message !== undefined || audience.lost !== undefined;
      const is_in_audience = audience.conversation !== undefined || audience.users_of !== undefined;
      const follows_public_stream = audience.public_stream !== undefined;
      const receiver = { ...facts, user_id, role: owner, is_reader, is_in_audience, follows_public_stream };
      if (canReceiveEvent(audience, receiver)) expect(only).toContain(user_id);
    }
  }
  expect(limited).toBeGreaterThan(2);
  expect(findListedReceivers({ users: [3, 7] })).toEqual([3, 7]);
  expect(findListedReceivers({ users: [3], conversation: { id: 2 } })).toBe(undefined);
});
