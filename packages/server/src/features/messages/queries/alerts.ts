import { type Db, rows } from '@parley/db';
import { type SQL, sql } from 'drizzle-orm';
import type { Watching } from '../rules/alerts.ts';

const bigints = (ids: readonly number[]) => sql`${sql.param([...ids])}::bigint[]`;

/**
 * Who watches, in these conversations, for words that begin with one of the pieces. It costs by the words that do, and
 * nothing where nobody watches for anything.
 */
export function watching(realm_id: number, conversation_ids: readonly number[], pieces: readonly string[]): SQL {
  return sql`
    select m.conversation_id, w.word_key, json_agg(w.user_id) as user_ids
    from alert_words w join memberships m on m.realm_id = w.realm_id and m.user_id = w.user_id
    where w.realm_id = ${realm_id} and w.first_piece = any(${sql.param([...pieces])}::text[])
      and m.conversation_id = any(${bigints(conversation_ids)}) and m.active
    group by m.conversation_id, w.word_key`;
}

export async function listWatching(
  db: Db,
  realm_id: number,
  conversation_ids: readonly number[],
  pieces: readonly string[],
): Promise<Watching[]> {
  return pieces.length === 0 ? [] : rows(db, watching(realm_id, conversation_ids, pieces));
}
