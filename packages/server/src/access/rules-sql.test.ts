// The TypeScript rules against the SQL for every combination of facts.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, type TestDatabase } from '../../test/database.ts';
import { isAdministrator, isGuest, isMember, isOwner, ROLE } from './roles.ts';
import * as rolesSql from './roles-sql.ts';
import {
  canAccessStream,
  canReadMessage,
  canReadStreamContent,
  canReceiveMessageEvent,
  canSeeStream,
  hasProtectedHistory,
  isInAudience,
  isInHistory,
} from './rules.ts';
import * as inSql from './rules-sql.ts';

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
