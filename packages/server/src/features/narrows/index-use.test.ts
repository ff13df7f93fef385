// By which of two ways a search finds its messages. Which ones it finds, `search.test.ts` says.
import { rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Chat, startChat } from '../../../test/chat.ts';
import { repeatMessage } from '../../../test/fixtures/large-organization.ts';
import { chooseIndexUse, contentHasRest, hasTexts, INDEX_LIMITS, listWordQueries } from './queries/search.ts';
import { parseSearchWords } from './rules/narrow.ts';

/** Far fewer than in a running server, so that few messages show each case. */
const most = { messages: 10, topics: 2, partial: 20, inOrder: 100, sample: 100 };

let chat: Chat;
let bread: number;
let soup: number;
beforeAll(async () => {
  chat = await startChat({ ownDatabase: true });
  const ada = await chat.user('ada', { mirrored: false });
  soup = await chat.stream('soup', { by: ada });
  bread = await chat.stream('bread', { by: ada });
  const repeat = async (content: string, to: string, topic: string, count: number) =>
    repeatMessage(chat, await chat.message({ from: ada, to, topic, content }), count - 1);
  await repeat('one heron', 'soup', 'lake', 5);
  await repeat('an old swan', 'soup', 'pond', 15);
  await repeat('hello', 'soup', 'hall', 1500);
  await repeat('nothing', 'bread', 'swan lake', 15);
  await repeat('nothing', 'bread', 'duck lake', 15);
});
afterAll(() => chat.close());

const choose = async (text: string, options: { in?: number; most?: typeof most } = {}) =>
  chooseIndexUse(
    chat.database.db,
    chat.realm.id,
    [...(await listWordQueries(chat.database.db, parseSearchWords(text))).values()],
    options.in === undefined ? undefined : sql`select ${options.in}::bigint as id`,
    options.most ?? most,
  );

test('words of few messages, or of none, are found by their index', async () => {
  expect([await choose('heron'), await choose('ostrich'), await choose('one heron')]).toEqual(['all', 'all', 'all']);
});

test('words that more messages have are found by their index only far from the anchor', async () => {
  expect(await choose('swan')).toBe('far');
  expect(await choose('old swan')).toBe('far');
});

test('common words are not found by their index', async () => {
  expect(await choose('hello')).toBe('none');
});

test('the messages of a small conversation are looked at one by one, and so are many words in one of medium size', async () => {
  expect(await choose('heron', { in: bread, most: INDEX_LIMITS })).toBe('none');
  expect(await choose('swan', { in: bread })).toBe('none');
  expect([await choose('heron', { in: soup }), await choose('swan', { in: soup })]).toEqual(['all', 'far']);
});

test('where many topics have one of the words, or those with one of two have many messages, none are found by the index', async () => {
  expect(await choose('lake')).toBe('none');
  expect(await choose('duck heron')).toBe('all');
  expect(await choose('duck swan', { most: { ...most, topics: 10 } })).toBe('none');
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const listNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listNodes)];

/** With how many words a message is compared on average, for all messages. */
async function countCompared(condition: SQL): Promise<number> {
  const [explained] = await rows<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    chat.database.db,
    sql`explain (analyze, format json) select from messages m left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
      where ${condition}`,
  );
  const [words] = explained
    ? listNodes(explained['QUERY PLAN'][0].Plan).filter((one) => one['Node Type'] === 'Function Scan')
    : [];
  return words ? words['Actual Rows'] + (words['Rows Removed by Filter'] ?? 0) : 0;
}

test('a message is compared with no more words after one that it does not have', async () => {
  const words = Array.from({ length: 50 }, (_, n) => `goose${n}`);
  const queries = words.map((word) => `'${word}'`);
  expect(await countCompared(hasTexts(words))).toBe(1);
  expect(await countCompared(contentHasRest(chat.realm.id, queries))).toBe(1);
});
