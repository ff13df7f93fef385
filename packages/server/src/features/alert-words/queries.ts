import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, inArray, type SQL } from 'drizzle-orm';
import type { AlertWord } from './rules.ts';

const { alert_words } = tables;

interface Owner {
  readonly realm_id: number;
  readonly id: number;
}

const isOf = ({ realm_id, id }: Owner) => and(eq(alert_words.realm_id, realm_id), eq(alert_words.user_id, id));

/** An account's words as a JSON array, in the order in which they were added. */
export const jsonWords = ({ realm_id, id }: Owner): SQL =>
  sql`(select coalesce(json_agg(word order by id), '[]') from alert_words where realm_id = ${realm_id} and user_id = ${id})`;

/** An account's words, in the order in which they were added. */
export async function listWords(db: Db, owner: Owner): Promise<string[]> {
  const [row] = await rows<{ words: string[] }>(db, sql`select ${jsonWords(owner)} as words`);
  return row?.words ?? [];
}

/** Inserts the words that are new, and returns their number. */
export async function insertWords(db: Db, owner: Owner, words: readonly AlertWord[]): Promise<number> {
  const inserted = await rows(
    db,
    sql`insert into alert_words (realm_id, user_id, word, word_key, first_piece)
        select ${owner.realm_id}::bigint, ${owner.id}::bigint, n.word, n.word_key, n.first_piece
        from jsonb_array_elements(${JSON.stringify(words)}::jsonb) with ordinality as requested(word, position)
        cross join lateral jsonb_to_record(requested.word) as n(word text, word_key text, first_piece text)
        order by requested.position on conflict do nothing returning 1`,
  );
  return inserted.length;
}

/** Deletes words, and returns how many existed. */
export async function deleteWords(db: Db, owner: Owner, word_keys: readonly string[]): Promise<number> {
  const deleted = await db
    .delete(alert_words)
    .where(and(isOf(owner), inArray(alert_words.word_key, [...word_keys])))
    .returning({ id: alert_words.id });
  return deleted.length;
}
