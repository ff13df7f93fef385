import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';

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
