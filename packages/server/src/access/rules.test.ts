// Each rule against the tables of docs/behaviour/streams.md#who-can-see-a-stream, docs/behaviour/messages.md#who-can-read-a-message and
// docs/behaviour/events.md#audiences, and the TypeScript rules against the SQL for every combination of facts.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rows } from '@parley/db';
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database.ts';
import type { Audience } from '../core/event-log/audience.ts';
import { isAdministrator, isGuest, isMember, isOwner, ROLE } from './roles.ts';
import * as rolesSql from './roles-sql.ts';
import {
  canAccessStream,
  canReadMessage,
  canReadStreamContent,
  canReceiveEvent,
  canReceiveMessageEvent,
  canSeeStream,
  getOutsideAudience,
  hasProtectedHistory,
  isInAudience,
  isInHistory,
  type MessageEventFacts,
  type ReceiverFacts,
} from './rules.ts';
import * as inSql from './rules-sql.ts';

const open = { invite_only: false, is_web_public: false, history_public_to_subscribers: true, archived_at: null };
const web = { ...open, is_web_public: true };
const shared = { ...open, invite_only: true };
const guarded = { ...shared, history_public_to_subscribers: false };
const archived = { ...web, archived_at: new Date(0) };
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

test('no other source file compares the numbers of roles', () => {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('access/'),
  );
  expect(sources.length).toBeGreaterThan(300);
  const comparison = /\brole\b\s*(=|<>|[<>]=?|===|!==)\s*\d/;
  expect(sources.filter((path) => comparison.test(readFileSync(`${folder}${path}`, 'utf8')))).toEqual([]);
});

/** Every combination of values for these names. */
function combinationsOf<Name extends string>(values: Record<Name, readonly (boolean | number)[]>) {
  return Object.entries<readonly (boolean | number)[]>(values).reduce<Record<string, boolean | number>[]>(
    (all, [name, some]) => all.flatMap((one) => some.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as Record<Name, never>[];
}

describe('the SQL agrees with the TypeScript', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.close());

  const either = [false, true] as const;

  /** The value of a condition for each of these rows, which are joined as `f`. */
  async function decide(columns: string, facts: readonly object[], condition: SQL): Promise<boolean[]> {
    const found = await rows<{ is: boolean }>(
      database.db,
      sql`select ${condition} as is from jsonb_to_recordset(${JSON.stringify(facts.map((one, n) => ({ n, ...one })))}::jsonb)
        as f(n int, ${sql.raw(columns)}) order by n`,
    );
    return found.map(({ is }) => is);
  }

  test('about roles', async () => {
    const facts = Object.values(ROLE).map((role) => ({ role }));
    const pairs = [
      [isOwner, rolesSql.isOwner],
      [isAdministrator, rolesSql.isAdministrator],
      [isMember, rolesSql.isMember],
      [isGuest, rolesSql.isGuest],
    ] as const;
    for (const [rule, condition] of pairs)
      expect(await decide('role int', facts, condition(sql`f`)), rule.name).toEqual(facts.map(rule));
  });

  const streamColumns =
    'id int, role int, invite_only bool, is_web_public bool, history_public_to_subscribers bool, archived_at timestamptz, subscribed bool, in_history bool';
  // A direct message is joined to no stream.
  const streamFacts = combinationsOf({
    is_stream: either,
    role: Object.values(ROLE),
    invite_only: either,
    is_web_public: either,
    history_public_to_subscribers: either,
    is_archived: either,
    subscribed: either,
    in_history: either,
  }).map(({ is_stream, is_archived, ...one }) => ({
    ...one,
    id: is_stream ? 1 : null,
    archived_at: is_archived ? new Date(0) : null,
  }));
  const f = { subscribed: sql`f.subscribed`, in_history: sql`f.in_history` };
  const me = { is_guest: rolesSql.isGuest(sql`f`), is_administrator: rolesSql.isAdministrator(sql`f`) };

  test.each([
    ['canSeeStream', canSeeStream, inSql.canSeeStream],
    ['canAccessStream', canAccessStream, inSql.canAccessStream],
    ['canReadStreamContent', canReadStreamContent, inSql.canReadStreamContent],
  ] as const)('%s', async (_name, rule, condition) => {
    expect(await decide(streamColumns, streamFacts, condition(me, sql`f`, f.subscribed))).toEqual(
      streamFacts.map((one) => rule(one, one, one.subscribed)),
    );
  });

  test('hasProtectedHistory', async () => {
    expect(await decide(streamColumns, streamFacts, inSql.hasProtectedHistory(sql`f`))).toEqual(
      streamFacts.map(hasProtectedHistory),
    );
  });

  test('canReadMessage', async () => {
    expect(await decide(streamColumns, streamFacts, inSql.canReadMessage(me, sql`f`, f))).toEqual(
      streamFacts.map((one) => canReadMessage(one, one.id === null ? undefined : one, one)),
    );
  });

  /** A rule whose facts are all booleans. */
  async function compare<Name extends string>(
    names: readonly Name[],
    rule: (facts: Record<Name, boolean>) => boolean,
    condition: (facts: Record<Name, SQL>) => SQL,
  ): Promise<void> {
    const named = <Value>(value: (name: Name) => Value) =>
      Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, Value>;
    const facts: Record<Name, boolean>[] = combinationsOf(named(() => either));
    const columns = names.map((name) => `${name} bool`).join(', ');
    expect(await decide(columns, facts, condition(named((name) => sql.raw(`f.${name}`))))).toEqual(facts.map(rule));
  }

  test('isInHistory', () => compare(['received', 'has_flags'], isInHistory, inSql.isInHistory));

  test('isInAudience', () => compare(['subscribed', 'by_number', 'received'], isInAudience, inSql.isInAudience));

  test('canReceiveMessageEvent', () =>
    compare(
      [
        'can_read',
        'in_history',
        'subscribed',
        'is_archived',
        'has_left',
        'is_sent',
        'by_number',
        'received',
        'received_in_public',
        'was_subscribed',
        'had_flags',
      ],
      canReceiveMessageEvent,
      inSql.canReceiveMessageEvent,
    ));
});
