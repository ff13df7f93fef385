import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { selectNewestSeq, selectUnreadSpans } from './unread-spans.ts';

type Me = Pick<User, 'realm_id' | 'id'>;

/** Unread messages of one topic or one direct conversation, ids ascending. */
export interface UnreadGroup {
  stream_id: number | null;
  topic: string | null;
  /** The participants of the direct conversation, ascending; null in streams. */
  user_ids: number[] | null;
  ids: number[];
  mentions: number[];
}

const participants = sql`(
  select json_agg(p.user_id order by p.user_id) from memberships p where p.realm_id = s.realm_id and p.conversation_id = s.conversation_id
)`;

// Needs the message as `m`, the user's flags on it as `mf`, and the spans that they received.
const mentioned = (me: Me, received: SQL): SQL => sql`(coalesce(mf.mentioned, false)
  or ${received} @> m.seq and (m.stream_wildcard or coalesce(${me.id}::bigint = any(m.topic_wildcard_user_ids), false)))`;

/** A user's newest `limit` unread messages, by stream and topic, and whether there are older ones. */
export async function listUnread(db: Db, me: Me, limit: number): Promise<{ groups: UnreadGroup[]; more: boolean }> {
  const groups = await rows<UnreadGroup & { more: boolean }>(
    db,
    sql`with open as materialized (${selectUnreadSpans({ realm_id: me.realm_id, user_ids: [me.id] })}),
      newest as materialized (
        select m.id, m.topic_id, o.conversation_id, ${mentioned(me, sql`o.received`)} as mentioned,
          row_number() over (order by m.id desc) as n
        from open o ${selectNewestSeq(me.realm_id, limit + 1)}
        left join message_flags mf on mf.realm_id = ${me.realm_id} and mf.user_id = ${me.id} and mf.message_id = m.id
        order by m.id desc limit ${limit + 1}
      ),
      unread_groups as (
        select ${me.realm_id}::bigint as realm_id, conversation_id, topic_id, json_agg(id order by id) as ids,
          coalesce(json_agg(id order by id) filter (where mentioned), '[]') as mentions
        from newest where n <= ${limit} group by conversation_id, topic_id
      )
      select case when t.id is not null then s.conversation_id end as stream_id, t.name as topic,
        case when t.id is null then ${participants} end as user_ids, s.ids, s.mentions,
        (select count(*) from newest) > ${limit} as more
      from unread_groups s left join topics t on t.realm_id = s.realm_id and t.id = s.topic_id
      order by s.conversation_id, t.name_key collate "C"`,
  );
  return { groups, more: groups[0]?.more ?? false };
}

/** A message as a client needs it to count it as unread again. */
export interface UnreadMessageDetails {
  id: number;
  stream_id: number | null;
  topic: string | null;
  user_ids: number[] | null;
  mentioned: boolean;
  muted: boolean;
}

export async function listMessageDetails(db: Db, me: Me, ids: readonly number[]): Promise<UnreadMessageDetails[]> {
  return rows(
    db,
    sql`with s as materialized (
        select distinct m.realm_id, m.conversation_id from messages m where m.realm_id = ${me.realm_id} and m.id = any(${bigints(ids)})
      ),
      conversations as materialized (
        select s.conversation_id, st.id as stream_id, case when st.id is null then ${participants} end as user_ids
        from s left join streams st on st.realm_id = s.realm_id and st.id = s.conversation_id
      )
      select m.id, conversations.stream_id, t.name as topic, conversations.user_ids, ${mentioned(me, sql`own.received`)} as mentioned,
        case coalesce(ut.visibility_policy, 0) when 0 then coalesce(own.is_muted, false) when 1 then true else false end as muted
      from messages m
      join conversations on conversations.conversation_id = m.conversation_id
      join memberships own on own.realm_id = m.realm_id and own.conversation_id = m.conversation_id and own.user_id = ${me.id}
      left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
      left join user_topics ut on ut.realm_id = m.realm_id and ut.user_id = ${me.id} and ut.topic_id = m.topic_id
      left join message_flags mf on mf.realm_id = m.realm_id and mf.user_id = ${me.id} and mf.message_id = m.id
      where m.realm_id = ${me.realm_id} and m.id = any(${bigints(ids)})`,
  );
}
