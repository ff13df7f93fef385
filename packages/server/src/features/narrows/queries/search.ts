import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { SearchWords } from '../rules/narrow.ts';

/**
 * The most messages, and topics, with the words of a search that are found by the index of words and then sorted. Where
 * more messages have the words, one comes soon in the order of ids.
 */
const MOST = { messages: 3000, topics: 1000 };

/** The full text query for these words. */
export const toTsQuery = ({ text, phrase }: SearchWords): SQL =>
  phrase ? sql`phraseto_tsquery('english', ${text})` : sql`plainto_tsquery('english', ${text})`;

const joinQueries = (operator: SQL, words: readonly SearchWords[]): SQL =>
  sql`(${sql.join(words.map(toTsQuery), operator)})`;

/** Whether the content of a message `m` has all of these words. */
export const contentHas = (words: readonly SearchWords[]): SQL => sql`m.search @@ ${joinQueries(sql` && `, words)}`;

/** The messages `m` whose content has all of these words. `offset 0` makes the planner find them by the index of words. */
export const messagesWith = (realm_id: number, words: readonly SearchWords[]): SQL =>
  sql`(select m.* from messages m where m.realm_id = ${realm_id} and ${contentHas(words)} offset 0) m`;

/**
 * Selects the `id` of the topics with one of these words, in these conversations if they are given. A message that a search
 * finds is in one of these topics, or its content has all words.
 */
export const selectTopicsWith = (realm_id: number, words: readonly SearchWords[], conversations?: SQL): SQL => sql`
  select x.id from topics x where x.realm_id = ${realm_id} and to_tsvector('english', x.name) @@ ${joinQueries(sql` || `, words)}
    ${conversations ? sql`and x.conversation_id in (${conversations})` : sql``}`;

/**
 * Whether a search in these conversations, or in all, is faster by the index of words. The index has the messages of all
 * organizations, so it counts those of all. The messages of a small conversation are read in any case.
 */
export async function isFasterByWords(
  db: Db,
  realm_id: number,
  words: readonly SearchWords[],
  conversations: SQL | undefined,
): Promise<boolean> {
  const isSmall = conversations
    ? sql`(select coalesce(sum(c.last_seq), 0) from conversations c where c.realm_id = ${realm_id} and c.id in (${conversations})) <= ${MOST.messages}`
    : sql`false`;
  const [found] = await rows<{ is_faster: boolean }>(
    db,
    sql`select case when ${isSmall} then false else
        (select count(*) from (select from messages m where ${contentHas(words)} limit ${MOST.messages + 1}) m) <= ${MOST.messages}
        and (select count(*) from (${selectTopicsWith(realm_id, words)} limit ${MOST.topics + 1}) x) <= ${MOST.topics}
      end as is_faster`,
  );
  return found?.is_faster ?? false;
}

const texts = (list: readonly string[]) => sql`${sql.param([...list])}::text[]`;

/** The words that full text search looks for: it skips stop words and mere punctuation. */
export async function listIndexedWords(db: Db, words: readonly string[]): Promise<Set<string>> {
  if (words.length === 0) return new Set();
  const found = await rows<{ word: string }>(
    db,
    sql`select word from unnest(${texts(words)}) as word where numnode(plainto_tsquery('english', word)) > 0`,
  );
  return new Set(found.map(({ word }) => word));
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
