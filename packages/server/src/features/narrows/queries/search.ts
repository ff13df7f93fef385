import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { SearchWords } from '../rules/narrow.ts';

/**
 * So many messages are found by the index of words and then sorted. Of a word that more have, one comes soon in the order of
 * ids.
 */
const RARE = { messages: 3000, topics: 1000 };

/** The full text query for these words. */
export const queryOf = ({ text, phrase }: SearchWords): SQL =>
  phrase ? sql`phraseto_tsquery('english', ${text})` : sql`plainto_tsquery('english', ${text})`;

const joinedBy = (operator: SQL, words: readonly SearchWords[]): SQL =>
  sql`(${sql.join(words.map(queryOf), operator)})`;

/** Whether a message `m` has all of these words in its content. */
export const hasContent = (words: readonly SearchWords[]): SQL => sql`m.search @@ ${joinedBy(sql` && `, words)}`;

/** The messages that have all of these words in their content as `m`. `offset 0` makes the planner look them up by words. */
export const messagesWith = (realm_id: number, words: readonly SearchWords[]): SQL =>
  sql`(select m.* from messages m where m.realm_id = ${realm_id} and ${hasContent(words)} offset 0) m`;

/** Selects the `id` of the topics with one of these words. A message that has not all of them in its content is in one of these. */
export const selectTopicsWith = (realm_id: number, words: readonly SearchWords[], conversations?: SQL): SQL => sql`
  select x.id from topics x where x.realm_id = ${realm_id} and to_tsvector('english', x.name) @@ ${joinedBy(sql` || `, words)}
    ${conversations ? sql`and x.conversation_id in (${conversations})` : sql``}`;

/**
 * Whether few messages have these words. The index of words has the messages of all organizations, so it counts those of
 * all.
 */
export async function areRare(db: Db, realm_id: number, words: readonly SearchWords[]): Promise<boolean> {
  const [found] = await rows<{ are_rare: boolean }>(
    db,
    sql`select (select count(*) from (select from messages m where ${hasContent(words)} limit ${RARE.messages + 1}) m) <= ${RARE.messages}
      and (select count(*) from (${selectTopicsWith(realm_id, words)} limit ${RARE.topics + 1}) x) <= ${RARE.topics} as are_rare`,
  );
  return found?.are_rare ?? false;
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
