import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { SearchWords } from '../rules/narrow.ts';
import type { IdSpan } from '../rules/search-spans.ts';

/**
 * The most messages, and topics, with the words of a search that are found by the index of words and then sorted. `partial`:
 * the most messages of topics with some of its words, whose content must have the other words. `inOrder`: the most
 * messages of conversations that are looked at one by one. `sample`: the percentage of the messages that shows whether
 * words are common.
 */
export const INDEX_LIMITS = { messages: 3000, topics: 1000, partial: 20_000, inOrder: 300_000, sample: 0.02 };

/**
 * Which messages of a search are found by the index of words: all of them, those far from the anchor, or none. The others
 * are looked at one by one, in the order of ids.
 */
export type IndexUse = 'all' | 'far' | 'none';

/**
 * What a search looks for: a full text query for each word or phrase, as the text of a `tsquery`. Many are one parameter, so
 * the statement, and what it costs to plan it, does not grow with the number of words.
 */
export type WordQueries = readonly string[];

/** Up to this number of words have a clause each, which is faster for each message. With more of them, planning the clauses takes longer. */
const FEW = 4;

const joined = (queries: WordQueries, operator: '&' | '|'): SQL =>
  sql`${queries.map((query) => `(${query})`).join(` ${operator} `)}::tsquery`;

/** Whether the content of a message `m` has all of these words. */
export const contentHas = (queries: WordQueries): SQL => sql`m.search @@ ${joined(queries, '&')}`;

/**
 * Whether the content of a message `m` has those of these words that its topic does not have. Only for messages of
 * `selectTopicsWith`, whose topic has one of them: the words of a message are compared one by one.
 */
export function contentHasRest(realm_id: number, queries: WordQueries): SQL {
  if (queries.length === 1) return sql`true`;
  return queries.length <= FEW ? hasEachOfFew(realm_id, queries) : hasEachOfMany(realm_id, queries);
}

/** Whether each of these words is in the content of a message `m` or in its topic. */
const hasEachOfFew = (realm_id: number, queries: WordQueries): SQL =>
  sql.join(
    queries.map((one) => sql`(${contentHas([one])} or m.topic_id in (${selectTopicsWith(realm_id, [one])}))`),
    sql` and `,
  );

/** The same. `offset 0` keeps it a condition of a message, which ends at the first word that is missing. */
const hasEachOfMany = (realm_id: number, queries: WordQueries): SQL => sql`not exists (
  select from ${unnested(queries)} w (query, n)
  where not (m.search @@ w.query or coalesce((m.topic_id, w.n) in (
    select x.id, v.n from ${unnested(queries)} v (query, n)
    join topics x on to_tsvector('english', x.name) @@ v.query where x.realm_id = ${realm_id}), false)) offset 0)`;

const unnested = (queries: WordQueries): SQL => sql`unnest(${texts(queries)}::tsquery[]) with ordinality`;

/** Whether each of these texts is in the content of a message `m`, or in the name of its topic `t`. Ends at the first that is in neither. */
export const hasTexts = (list: readonly string[]): SQL => sql`not exists (
  select from unnest(${texts(list)}) w (text)
  where strpos(lower(m.content), lower(w.text)) = 0 and strpos(lower(coalesce(t.name, '')), lower(w.text)) = 0 offset 0)`;

/** Whether the id of a message `m` is in a span. */
export const isWithin = ({ above, below }: IdSpan): SQL => sql`m.id > ${above}::bigint and m.id < ${below}::bigint`;

/** The same, without the index of ids: a plan for all parameters expects few ids, and would read the index for millions. */
const isWithinRest = ({ above, below }: IdSpan): SQL =>
  sql`m.id + 0 > ${above}::bigint and m.id + 0 < ${below}::bigint`;

/** The messages `m` whose content has all of these words. `offset 0` makes the planner find them by the index of words. */
export function messagesWith(realm_id: number, queries: WordQueries, span?: IdSpan): SQL {
  const within = span ? sql`and ${span.isRest ? isWithinRest(span) : isWithin(span)}` : sql``;
  return sql`(select m.* from messages m where m.realm_id = ${realm_id} and ${contentHas(queries)} ${within} offset 0) m`;
}

/**
 * Selects the `id` of the topics with one of these words, in these conversations if they are given. A message that a search
 * finds is in one of these topics, or its content has all words.
 */
export const selectTopicsWith = (realm_id: number, queries: WordQueries, conversations?: SQL): SQL => sql`
  select x.id from topics x where x.realm_id = ${realm_id} and to_tsvector('english', x.name) @@ ${joined(queries, '|')}
    ${conversations ? sql`and x.conversation_id in (${conversations})` : sql``}`;

/**
 * Which messages of a search in these conversations, or in all, are found faster by the index of words. The index has the
 * messages of all organizations, so it counts those of all. The messages of a small conversation are read in any case.
 */
export async function chooseIndexUse(
  db: Db,
  realm_id: number,
  queries: WordQueries,
  conversations: SQL | undefined,
  most = INDEX_LIMITS,
): Promise<IndexUse> {
  const size = sql`(select coalesce(sum(c.last_seq), 0) from conversations c
    where c.realm_id = ${realm_id} and c.id in (${conversations ?? sql`select 0`}))`;
  const hasAtMost = (count: number) => (conversations ? sql`${size} <= ${count}` : sql`false`);
  const [found] = await rows<{ use: IndexUse }>(
    db,
    sql`select case when ${hasAtMost(most.messages)} then 'none'
        when (select count(*) from (${selectTopicsWith(realm_id, queries)} limit ${most.topics + 1}) x) > ${most.topics} then 'none'
        ${queries.length > 1 ? sql`when ${hasManyInPartialTopics(realm_id, queries, most.partial)} then 'none'` : sql``}
        when (select count(*) from (select from messages m where ${contentHas(queries)} limit ${most.messages + 1}) m) <= ${most.messages} then 'all'
        when ${hasAtMost(most.inOrder)} or ${isCommon(queries, most.sample)} then 'none'
        else 'far' end as use`,
  );
  return found?.use ?? 'none';
}

/** Whether more than one message in fifty has these words, by a sample: to read so many from their index takes long. */
const isCommon = (queries: WordQueries, sample: number): SQL => sql`(
  select 50 * count(*) filter (where ${contentHas(queries)}) > count(*) from messages m
  tablesample system (${sample}::real) repeatable (0))`;

/**
 * Whether topics with some of these words and not all have many messages. Each of them would be looked at: that its content
 * has the other words is rare.
 */
const hasManyInPartialTopics = (realm_id: number, queries: WordQueries, most: number): SQL => sql`(
  select count(*) from (select from topics x cross join lateral (
      select from messages m where m.realm_id = ${realm_id} and m.topic_id = x.id limit ${most + 1}) m
    where x.id in (${selectTopicsWith(realm_id, queries)}) and not to_tsvector('english', x.name) @@ ${joined(queries, '&')}
    limit ${most + 1}) m) > ${most}`;

/** The lowest and the highest id of the messages of an organization, if it has any. */
export async function findEndsOfMessages(
  db: Db,
  realm_id: number,
): Promise<{ oldest: number; newest: number } | undefined> {
  const [ends] = await rows<{ oldest: number | null; newest: number | null }>(
    db,
    sql`select (select id from messages where realm_id = ${realm_id} order by id limit 1) as oldest,
          (select id from messages where realm_id = ${realm_id} order by id desc limit 1) as newest`,
  );
  return ends?.oldest && ends.newest ? { oldest: ends.oldest, newest: ends.newest } : undefined;
}

const texts = (list: readonly string[]) => sql`${sql.param([...list])}::text[]`;

/** The full text queries for words and phrases, by their text. Stop words and mere punctuation have none. */
export async function listWordQueries(db: Db, words: readonly SearchWords[]): Promise<Map<SearchWords, string>> {
  if (words.length === 0) return new Map();
  const found = await rows<{ query: string }>(
    db,
    sql`select (case when phrase then phraseto_tsquery('english', word) else plainto_tsquery('english', word) end)::text as query
        from unnest(${texts(words.map(({ text }) => text))}, ${sql.param(words.map(({ phrase }) => phrase))}::boolean[])
          with ordinality as w (word, phrase, n) order by n`,
  );
  return new Map(words.flatMap((word, n) => (found[n]?.query ? [[word, found[n].query]] : [])));
}

/** Those of `words` that full text search matches with one of `sought`, e.g. "soups" for "soup". */
export async function listMatchingWords(
  db: Db,
  words: readonly string[],
  sought: readonly string[],
): Promise<Set<string>> {
  if (words.length === 0 || sought.length === 0) return new Set();
  const found = await rows<{ word: string }>(
    db,
    sql`with lexemes as (
          select array_agg(lexeme) as list from unnest(${texts(sought)}) as word, unnest(tsvector_to_array(to_tsvector('english', word))) as lexeme
        )
        select word from lexemes, unnest(${texts(words)}) as word where tsvector_to_array(to_tsvector('english', word)) && lexemes.list`,
  );
  return new Set(found.map(({ word }) => word));
}
