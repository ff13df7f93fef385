import { describe, expect, test } from 'vitest';
import type { Event, Schema } from '../../core/contract.ts';
import type { Audience } from '../../core/event-log/audience.ts';
import type { Queue } from '../../core/polls.ts';
import { type AudienceFacts, isForPublicStreams, type LoggedEvent } from '../event-log/index.ts';
import { isFor, matchesNarrow, narrowProblem, preselect, toDelivered } from './rules.ts';

const queue: Queue = {
  id: 'q',
  realm_id: 1,
  user_id: 7,
  event_types: null,
  narrow: [],
  all_public_streams: false,
  apply_markdown: true,
  client_gravatar: true,
  slim_presence: false,
  key_version: 1,
};
const removal: Event = { type: 'subscription', op: 'remove', subscriptions: [] };
const logged = (audience: Audience, payload: Event = removal): LoggedEvent => ({ id: 5, payload, audience });
const facts = (role: number | undefined, more: Partial<AudienceFacts> = {}): AudienceFacts => ({
  roles: new Map(role === undefined ? [] : [[7, role]]),
  key_versions: new Map(),
  token_ids: new Set(),
  members: new Map(),
  public_streams: new Set(),
  reading: { relocated: new Set(), readers: new Map(), parts: new Map(), renamed: new Map(), lost_access: new Map() },
  ...more,
});

describe('the audience of an event', () => {
  test.each<[string, Audience, AudienceFacts, boolean]>([
    ['everyone: a guest', { everyone: true }, facts(600), true],
    ['everyone: not who was deactivated meanwhile', { everyone: true }, facts(undefined), false],
    ['everyone except one', { everyone: true, except: [7] }, facts(400), false],
    ['non-guests: a member', { non_guests: true }, facts(400), true],
    ['non-guests: not a guest', { non_guests: true }, facts(600), false],
    ['administrators: an owner', { administrators: true }, facts(100), true],
    ['administrators: not a moderator', { administrators: true }, facts(300), false],
    ['a person by id', { users: [3, 7] }, facts(600), true],
    ['another person', { users: [3] }, facts(400), false],
    [
      'a conversation: who is in it',
      { conversation: { id: 2, seq: 9 } },
      facts(400, { members: new Map([[5, new Set([7])]]) }),
      true,
    ],
    [
      'a conversation: not who has left it',
      { conversation: { id: 2, seq: 9 } },
      facts(400, { members: new Map([[5, new Set([8])]]) }),
      false,
    ],
    [
      'a public stream: only queues of all public streams',
      { public_stream: 2 },
      facts(400, { public_streams: new Set([2]) }),
      false,
    ],
    ['nobody', {}, facts(100), false],
  ])('%s', (_case, audience, known, expected) => {
    expect(isFor(logged(audience), queue, known)).toBe(expected);
  });

  test('a queue of all public streams receives events of a public stream, and none once it is private', () => {
    const all = { ...queue, all_public_streams: true };
    const event = logged({ public_stream: 2 });
    expect(isFor(event, all, facts(400, { public_streams: new Set([2]) }))).toBe(true);
    expect(isFor(event, all, facts(400))).toBe(false);
    expect(isFor(event, all, facts(600, { public_streams: new Set([2]) }))).toBe(false);
  });

  test('a user receives messages by a queue of all public streams alone only if they are not subscribed', () => {
    const all = { ...queue, all_public_streams: true };
    const event = logged({ conversation: { id: 2, seq: 9 }, public_stream: 2 });
    const known = facts(400, { public_streams: new Set([2]) });
    expect(isForPublicStreams(event, all, known)).toBe(true);
    expect(isForPublicStreams(event, all, { ...known, members: new Map([[5, new Set([7])]]) })).toBe(false);
  });

  test('event types are matched by their exact names', () => {
    const event = logged({ everyone: true });
    expect(isFor(event, { ...queue, event_types: ['subscription'] }, facts(400))).toBe(true);
    expect(isFor(event, { ...queue, event_types: ['subscriptions', 'message'] }, facts(400))).toBe(false);
    expect(isFor(event, { ...queue, event_types: [] }, facts(400))).toBe(false);
  });
});

const message: Schema<'Message'> = {
  id: 1,
  sender_id: 3,
  sender_full_name: 'Ada',
  sender_email: 'ada@example.com',
  sender_realm_str: '',
  content: '<p>hi</p>',
  content_type: 'text/html',
  timestamp: 0,
  client: 'test',
  subject: '✔ Soup',
  topic_links: [],
  type: 'stream',
  stream_id: 2,
  display_recipient: 'Kitchen',
  recipient_id: 2,
  avatar_url: null,
  is_me_message: false,
  reactions: [],
  submessages: [],
};

describe('the events that may be for a queue', () => {
  const audiences: Audience[] = [
    {},
    { everyone: true },
    { everyone: true, except: [7] },
    { non_guests: true },
    { administrators: true },
    { users: [7] },
    { users: [3] },
    { users: [7], users_of: { id: 2, seq: 9 } },
    { users: [3], users_of: { id: 2, seq: 9 } },
    { conversation: { id: 2 } },
    { conversation: { id: 2, seq: 9 }, public_stream: 2 },
    { message: { id: 1 } },
    { lost: { message_id: 1, from: { id: 2, seq: 9 }, to: { id: 3, seq: 4 } } },
    { public_stream: 2 },
  ];
  const events = audiences.flatMap((audience, n) =>
    ['subscription', 'presence', 'message', 'update_message', 'delete_message'].map((type, m) => ({
      ...logged(audience, { type } as Event),
      id: 10 * n + m,
    })),
  );
  const ofAll = <Value>(value: Value) => new Map(events.map(({ id }) => [id, value]));
  const toggles: Partial<AudienceFacts>[] = [
    { members: ofAll(new Set([7])) },
    { public_streams: new Set([2]) },
    ...(['readers', 'parts', 'lost_access'] as const).flatMap((name) =>
      [new Set<number>(), new Set(ofAll(0).keys())].map((relocated) => ({
        reading: {
          ...facts(400).reading,
          relocated,
          [name]: ofAll(new Map([[7, name === 'lost_access' ? true : [1]]])),
        },
      })),
    ),
  ];
  const known = [100, 400, 600, undefined].flatMap((role) =>
    [{}, ...toggles].flatMap((one) => [{}, ...toggles].map((other) => facts(role, { ...one, ...other }))),
  );

  test('contain all that are for it, whatever is true of its owner', () => {
    let count = 0;
    for (const all_public_streams of [false, true]) {
      const one = { ...queue, all_public_streams };
      for (const each of known) {
        const own = events.filter((event) => isFor(event, one, each));
        for (const event of own) expect(preselect([event], each)(one)).toEqual([event]);
        expect(preselect(events, each)(one).filter((event) => isFor(event, one, each))).toEqual(own);
        count += own.length;
      }
    }
    expect(count).toBeGreaterThan(1000);
  });

  test('are none that can only reach other users', () => {
    const others: Audience[] = [
      { users: [3] },
      { conversation: { id: 2 } },
      { message: { id: 1 } },
      { public_stream: 2 },
    ];
    const found = facts(400, { members: new Map([[5, new Set([3])]]) });
    for (const audience of others) expect(preselect([logged(audience)], found)(queue)).toEqual([]);
    expect(preselect([logged({ everyone: true }), logged({ users: [3] })], found)(queue)).toHaveLength(1);
    expect(preselect([logged({ public_stream: 2 })], found)({ ...queue, all_public_streams: true })).toHaveLength(1);
  });
});

describe('the narrow of a queue', () => {
  test.each<[string, Queue['narrow'], boolean]>([
    ['no terms', [], true],
    ['stream, whatever its case', [['stream', 'kitchen']], true],
    ['another stream', [['stream', 'cellar']], false],
    ['topic, whatever its case', [['topic', '✔ soup']], true],
    ['sender by email', [['sender', 'ADA@example.com']], true],
    [
      'every term must hold',
      [
        ['stream', 'kitchen'],
        ['sender', 'ben@example.com'],
      ],
      false,
    ],
    ['is:resolved', [['is', 'resolved']], true],
    ['is:unread', [['is', 'unread']], true],
    ['is:mentioned', [['is', 'mentioned']], false],
    ['is:dm', [['is', 'dm']], false],
    ['is:alerted', [['is', 'alerted']], false],
    ['is:starred', [['is', 'starred']], false],
  ])('%s', (_case, narrow, expected) => expect(matchesNarrow(narrow, message, [])).toBe(expected));

  test('the supported terms are stream, topic, sender and is', () => {
    expect(
      narrowProblem([
        ['stream', 'x'],
        ['is', 'dm'],
      ]),
    ).toBeUndefined();
    expect(narrowProblem([['near', '5']])).toContain('near');
    expect(narrowProblem([['is', 'green']])).toContain('is:green');
  });
});

describe('a message as a queue receives it', () => {
  const event: LoggedEvent = {
    id: 9,
    payload: { type: 'message', message, flags: [] },
    audience: { users: [7], asides: { raw_content: 'hi', local: { queue_id: 'q', message_id: '1.1' } } },
  };
  const avatar = (id: number) => `/avatar/${id}`;

  test('is HTML with apply_markdown and Markdown without', () => {
    expect(toDelivered(event, queue, avatar)).toMatchObject({
      id: 9,
      message: { content: '<p>hi</p>', content_type: 'text/html' },
    });
    const plain = toDelivered(event, { ...queue, apply_markdown: false }, avatar);
    expect(plain).toMatchObject({ message: { content: 'hi', content_type: 'text/x-markdown' } });
  });

  test('carries local_message_id in the sending queue only', () => {
    expect(toDelivered(event, queue, avatar)).toHaveProperty('local_message_id', '1.1');
    expect(toDelivered(event, { ...queue, id: 'other' }, avatar)).not.toHaveProperty('local_message_id');
  });

  test('leaves default avatars to clients with client_gravatar', () => {
    expect(toDelivered(event, queue, avatar)).toMatchObject({ message: { avatar_url: null } });
    expect(toDelivered(event, { ...queue, client_gravatar: false }, avatar)).toMatchObject({
      message: { avatar_url: '/avatar/3' },
    });
  });
});
