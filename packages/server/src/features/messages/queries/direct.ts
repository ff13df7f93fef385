import { createHash } from 'node:crypto';
import { type Db, rows, sqlState } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { Param, SQL } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';
import { jsonRows } from '../../../core/json-rows-sql.ts';
import { bounds } from '../../../core/limits.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import type { WatchedWord } from '../rules/alerts.ts';
import { nextMessageId } from './send.ts';

/** The identity of a direct conversation: the same users in any order are the same conversation. */
export function memberKey(user_ids: readonly number[]): string {
  const sorted = [...new Set(user_ids)].sort((one, other) => one - other);
  return createHash('sha256').update(sorted.join()).digest('hex');
}

/** The conversation and the id of a new direct message. */
export interface DirectMessagePosition {
  readonly conversation_id: number;
  readonly seq: number;
  readonly id: number;
  /** Users of the conversation with alert words that the message may contain. */
  readonly watching: readonly WatchedWord[];
}

interface Allocated {
  readonly conversation_id: number;
  readonly member_key: string;
  /** The number before the first reserved one. */
  readonly last_seq: number;
  /** Ids for as many messages as go there, ascending. */
  readonly ids: readonly number[];
  readonly watching: readonly Omit<WatchedWord, 'conversation_id'>[];
}

/**
 * Reserves a number in the conversation of each of these groups of users, in this order, in one statement. Missing
 * conversations are created; existing ones stay locked until the commit. `pieces` are the first pieces of alert words
 * that the messages may contain.
 */
export async function allocateDirect(
  db: Db,
  realm_id: number,
  groups: readonly (readonly number[])[],
  pieces: readonly string[],
): Promise<DirectMessagePosition[]> {
  const keys = groups.map(memberKey);
  const groupsByKey = new Map(keys.map((key, n) => [key, groups[n] ?? []]));
  const members = [...groupsByKey].flatMap(([key, user_ids]) =>
    [...new Set(user_ids)].map((user_id) => ({ key, user_id })),
  );
  const allocated = await rows<Allocated>(
    db,
    findOrCreate({
      realm_id,
      keys: sql.param([...keys].sort()),
      members: JSON.stringify(members),
      pieces: sql.param([...pieces]),
    }),
  ).catch((error: unknown) => {
    if (sqlState(error) !== '23505') throw error;
    // Another request created one of them meanwhile: the retry finds it.
    return abortAndRetry('Another request created the conversation meanwhile.');
  });
  return toPositions(keys, allocated);
}

function toPositions(keys: readonly string[], allocated: readonly Allocated[]): DirectMessagePosition[] {
  const byKey = new Map(allocated.map((one) => [one.member_key, { ...one, taken: 0 }]));
  return keys.map((key) => {
    const found = byKey.get(key);
    const id = found?.ids[found.taken];
    if (!found || id === undefined) throw new Error('The statement returns every conversation.');
    const { conversation_id, last_seq } = found;
    const watching = found.watching.map((one) => ({ ...one, conversation_id }));
    return { conversation_id, seq: last_seq + ++found.taken, id, watching };
  });
}

interface FindOrCreate {
  readonly realm_id: number;
  /** A key for each message, ascending. */
  readonly keys: Param;
  readonly members: string;
  readonly pieces: Param;
}

const findOrCreate = ({ realm_id, keys, members, pieces }: FindOrCreate): SQL => sql`
  with requested as (select key, count(*)::int as messages from unnest(${keys}::text[]) as key group by key),
  members as (select key, user_id from jsonb_to_recordset(${members}::jsonb) as p(key text, user_id bigint)),
  found as (
    select d.id, requested.key, requested.messages from direct_conversations d join requested on requested.key = d.member_key where d.realm_id = ${realm_id}
  ),
  locked as (
    select c.id from conversations c where c.realm_id = ${realm_id} and c.id in (select id from found) order by c.id for no key update
  ),
  taken as (
    update conversations c set last_seq = c.last_seq + found.messages from locked join found using (id)
    where c.realm_id = ${realm_id} and c.id = locked.id returning c.id, c.last_seq - found.messages as last_seq
  ),
  missing as (
    select key, messages, row_number() over (order by key) as n from requested where key not in (select key from found)
  ),
  made as (
    insert into conversations (realm_id, kind, last_seq) select ${realm_id}::bigint, 'direct', messages from missing order by n returning id
  ),
  numbered as (select id, row_number() over (order by id) as n from made),
  linked as (
    insert into direct_conversations (realm_id, id, member_key)
    select ${realm_id}::bigint, numbered.id, missing.key from numbered join missing using (n) order by missing.key
    returning id, member_key
  ),
  joined as (
    insert into memberships (realm_id, conversation_id, user_id, active, received)
    select ${realm_id}::bigint, linked.id, members.user_id, true, '{[1,)}' from members join linked on linked.member_key = members.key
  ),
  placed as (
    select taken.id, taken.last_seq, found.key, found.messages from taken join found using (id)
    union all select linked.id, 0, missing.key, missing.messages from linked join missing on missing.key = linked.member_key
  )
  select placed.id as conversation_id, placed.key as member_key, placed.last_seq,
    (select json_agg(${nextMessageId}) from generate_series(1, placed.messages)) as ids,
    coalesce((
      select json_agg(w) from (
        select w.word_key, json_agg(w.user_id) as user_ids from alert_words w join members using (user_id)
        where w.realm_id = ${realm_id} and w.first_piece = any(${pieces}::text[]) and members.key = placed.key group by w.word_key
      ) w
    ), '[]') as watching
  from placed`;

/** A user's direct conversations with the newest messages, newest first, as a JSON array in the documented shape. */
export const jsonRecentDirect = ({ realm_id, id }: Pick<User, 'realm_id' | 'id'>): SQL =>
  jsonRows(sql`select array(
          select p.user_id from memberships p
          where p.realm_id = ${realm_id} and p.conversation_id = recent.conversation_id and p.user_id <> ${id} order by p.user_id
        ) as user_ids, recent.id as max_message_id
      from (
        select x.conversation_id, newest.id from memberships x
        join direct_conversations d on d.realm_id = x.realm_id and d.id = x.conversation_id
        cross join lateral (
          select m.id from messages m where m.realm_id = x.realm_id and m.conversation_id = x.conversation_id order by m.id desc limit 1
        ) newest
        where x.realm_id = ${realm_id} and x.user_id = ${id} order by newest.id desc limit ${bounds.recent_conversations}
      ) recent order by recent.id desc`);
