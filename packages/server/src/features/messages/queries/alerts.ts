import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { messageHistory } from '../../../access/messages-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { WatchedWord } from '../rules/alerts.ts';

const holder = messageHistory(sql`w.user_id`);

/**
 * The users of these conversations who have alert words that begin with one of the pieces. The cost depends on the
 * number of matching words; without alert words there is none.
 */
export function selectWatchedWords(
  realm_id: number,
  conversation_ids: readonly number[],
  pieces: readonly string[],
): SQL {
  return sql`
    select m.conversation_id, w.word_key, json_agg(w.user_id) as user_ids
    from alert_words w join memberships m on m.realm_id = w.realm_id and m.user_id = w.user_id
    where w.realm_id = ${realm_id} and w.first_piece = any(${sql.param([...pieces])}::text[])
      and m.conversation_id = any(${bigints(conversation_ids)}) and m.active
    group by m.conversation_id, w.word_key`;
}

/** The same for users who have a message, whether or not they are still in its conversation. */
export async function listWatchedWordsOfHolders(
  db: Db,
  realm_id: number,
  message_id: number,
  pieces: readonly string[],
): Promise<WatchedWord[]> {
  if (pieces.length === 0) return [];
  return rows(
    db,
    sql`select m.conversation_id, w.word_key, json_agg(w.user_id) as user_ids
        from alert_words w join messages m on m.realm_id = w.realm_id and m.id = ${message_id} ${holder.joins}
        where w.realm_id = ${realm_id} and w.first_piece = any(${sql.param([...pieces])}::text[]) and ${holder.has_row}
        group by m.conversation_id, w.word_key`,
  );
}
