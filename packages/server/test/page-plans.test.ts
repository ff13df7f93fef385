// The plan of a page in an organization of millions of messages. Only its statistics are needed for it: with these PostgreSQL expects as
// many, and plans for them.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireValue } from '../src/core/require-value.ts';
import { type Chat, startChat, type TestUser } from './chat.ts';
import { fillOthers, repeatMessage } from './fixtures/large-organization.ts';

let chat: Chat;
let ben: TestUser;
let stream_id: number;
beforeAll(async () => {
  // On the embedded database, whose one connection has all prepared statements.
  chat = await startChat({ ownDatabase: true });
  const ada = await chat.user('ada', { mirrored: false });
  ben = await chat.user('ben', { mirrored: false });
  stream_id = await chat.stream('kitchen', { by: ada, members: [ben] });
  const message_id = await chat.message({ from: ada, to: 'kitchen', topic: 'soup' });
  await repeatMessage(chat, message_id, 5_000);
  await fillOthers(chat, { ada, cleo: ben, busy: stream_id, firstOfBusy: message_id, users: 60, streams: 100 });
  const { db } = chat.database;
  await db.execute(sql`vacuum analyze`);
  await db.execute(sql`update pg_class set reltuples = 100000 * relpages where relname = 'messages'`);
});
afterAll(() => chat.close());

/** How many rows PostgreSQL expects of a prepared statement, with the plan for all parameters. */
async function countExpected(name: string, parameters: number): Promise<number> {
  const values = Array(parameters).fill('null').join(', ');
  const [explained] = await chat.database.db.transaction(async (tx) => {
    await tx.execute(sql`set local plan_cache_mode = force_generic_plan`);
    return rows<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      tx,
      sql.raw(`explain (format json) execute ${name} (${values})`),
    );
  });
  return requireValue(explained)['QUERY PLAN'][0].Plan['Plan Rows'];
}

test('of a page few rows are expected: for many PostgreSQL chooses joins that read whole tables before the first row', async () => {
  for (const num_before of [50, 500]) {
    await ben.api.getMessages({ anchor: 'newest', num_before, num_after: 0 });
    await ben.api.getMessages({ anchor: 'newest', num_before, num_after: 0, narrow: [['stream', stream_id]] });
  }
  const pages = await rows<{ name: string; parameters: number }>(
    chat.database.db,
    sql`select name, cardinality(parameter_types) as parameters from pg_prepared_statements
        where statement like 'select /* generic plan */ m.*%'`,
  );
  expect(pages).toHaveLength(4);
  for (const { name, parameters } of pages) expect(await countExpected(name, parameters)).toBeLessThanOrEqual(1000);
});

test('searches for many words have the same statements as for five, so planning them does not take longer', async () => {
  const countStatements = async () => {
    const [found] = await rows<{ count: number }>(
      chat.database.db,
      sql`select count(*)::int as count from pg_prepared_statements`,
    );
    return requireValue(found).count;
  };
  const search = (words: string, negated: boolean) =>
    ben.api.getMessages({
      anchor: 'newest',
      num_before: 50,
      num_after: 0,
      narrow: [{ operator: 'search', operand: words, negated }],
    });
  const words = Array.from({ length: 50 }, (_, n) => `bowl${n}`);
  const manyWords = [words.join(' '), words.map((word) => `"${word} soup"`).join(' ')];
  const skippedWords = Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? 'the' : 'or')).join(' ');
  for (const negated of [false, true]) {
    for (const few of [words.slice(0, 5).join(' '), 'the']) await search(few, negated);
    const before = await countStatements();
    for (const many of [...manyWords, skippedWords]) await search(many, negated);
    expect(await countStatements()).toBe(before);
  }
});
