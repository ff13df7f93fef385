import { createHash } from 'node:crypto';
import { type Db, rows, sqlState } from '@parley/db';
import { type Param, type SQL, sql } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';
import { jsonRows } from '../../../core/json-rows-sql.ts';
import { bounds } from '../../../core/limits.ts';
import { abortAndRetry } from '../../../core/transaction.ts';

/** What identifies a direct conversation: the same people in any order are the same conversation. */
export function memberKey(user_ids: readonly number[]): string {
  const sorted = [...new Set(user_ids)].sort((one, other) => one - other);
  return createHash('sha256').update(sorted.join()).digest('hex');
}

/** The conversations of these groups of people by `memberKey`, made if there are none yet, in one statement. */
export async function findOrCreateDirect(
  db: Db,
  realm_id: number,
  groups: readonly (readonly number[])[],
): Promise<Map<string, number>> {
  const wanted = new Map(groups.map((user_ids) => [memberKey(user_ids), user_ids]));
  const members = [...wanted].flatMap(([key, user_ids]) => [...new Set(user_ids)].map((user_id) => ({ key, user_id })));
  const keys = sql.param([...wanted.keys()].sort());
  try {
    const found = await rows<{ id: number; member_key: string }>(
      db,
      findOrCreate(realm_id, keys, JSON.stringify(members)),
    );
    return new Map(found.map(({ id, member_key }) => [member_key, id]));
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    // Another request made one of them meanwhile: the retry finds it.
    return abortAndRetry('The conversation was made by another request meanwhile.');
  }
}

const findOrCreate = (realm_id: number, keys: SQL | Param, members: string): SQL => sql`
  with wanted as (select key from unnest(${keys}::text[]) as key),
  found as (
    select d.id, d.member_key from direct_conversations d
    where d.realm_id = ${realm_id} and d.member_key in (select key from wanted)
  ),
  missing as (
    select key, row_number() over (order by key) as n from wanted where key not in (select member_key from found)
  ),
  made as (insert into conversations (realm_id, kind) select ${realm_id}::bigint, 'direct' from missing returning id),
  numbered as (select id, row_number() over (order by id) as n from made),
  linked as (
    insert into direct_conversations (realm_id, id, member_key)
    select ${realm_id}::bigint, numbered.id, missing.key from numbered join missing using (n) order by missing.key
    returning id, member_key
  ),
  joined as (
    insert into memberships (realm_id, conversation_id, user_id, active, received)
    select ${realm_id}::bigint, linked.id, p.user_id, true, '{[1,)}'
    from jsonb_to_recordset(${members}::jsonb) as p(key text, user_id bigint) join linked on linked.member_key = p.key
  )
  select id, member_key from found union all select id, member_key from linked`;

/** A user's direct conversations with the newest messages, the newest first, as a JSON array of documented objects. */
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
