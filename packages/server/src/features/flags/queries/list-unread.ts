import { type Db, rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { selectAtSeq, selectNewestSeq, selectUnreadSpans } from './unread-spans.ts';

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

/** Without unread messages there is one row, whose other columns are null. */
type FoundGroup = { readonly more: boolean } & (UnreadGroup | { readonly [K in keyof UnreadGroup]: null });

/** All unread messages of a user, by stream and topic; null if there can be more than `limit`. */
export async function listUnread(db: Db, me: Me, limit: number): Promise<UnreadGroup[] | null> {
  const found = await rows<FoundGroup>(
    db,
    sql`with ${withGenericPlan} open as materialized (${selectUnreadSpans({ realm_id: me.realm_id, user_ids: [me.id] })}),
      total as materialized (select coalesce(sum(upper(seqs) - lower(seqs)), 0) > ${limit} as more from open),
      unread as (
        select m.id, m.topic_id, o.conversation_id, ${mentioned(me, sql`o.received`)} as mentioned
        from open o ${selectNewestSeq(me.realm_id, limit)} ${withFlags(me)} where not (select more from total)
      )
      select total.more, s.* from total left join (${selectGroups(me, sql`unread`)}) s on true`,
  );
  return found[0]?.more ? null : found.filter((group) => group.ids !== null);
}

/**
 * A user's newest `limit` unread messages, by stream and topic, and whether there are older ones. Deleted messages are counted until
 * they are looked for: where too few are left, twice as many are looked for.
 */
export async function listNewestUnread(
  db: Db,
  me: Me,
  limit: number,
): Promise<{ groups: UnreadGroup[]; more: boolean }> {
  for (let enough = limit; ; enough *= 2) {
    const found = await rows<FoundGroup & { is_all: boolean }>(db, selectNewestUnread(me, limit, enough));
    const more = found[0]?.more ?? false;
    if (more || found[0]?.is_all) return { groups: found.filter((group) => group.ids !== null), more };
  }
}

/**
 * Of the unread messages of each conversation it looks up the id of the newest, of the 2nd, 4th, 8th and so on, to find an id above which there
 * are more than `enough`, and reads down to the first of those with a lower id: the cost depends on `enough` and the number of
 * conversations, not on the number of unread messages. It does not stop at a message that was moved there, because that can have a lower id
 * than those before it. `is_all`: there was no such id, and all were read.
 */
const selectNewestUnread = (me: Me, limit: number, enough: number): SQL => sql`
  with ${withGenericPlan} open as materialized (${selectUnreadSpans({ realm_id: me.realm_id, user_ids: [me.id] })}),
  spans as (
    select conversation_id, span, (sum(upper(span) - lower(span)) over (partition by conversation_id order by lower(span) desc))::int as last
    from open cross join lateral unnest(open.seqs) as unread(span)
  ),
  steps as materialized (
    select s.conversation_id, step.seq, 1 << k as newer, m.id, m.moves <> '{}' as moved
    from (select *, last - (upper(span) - lower(span)) + 1 as first from spans) s
    cross join lateral generate_series(floor(ln(s.first) / ln(2))::int, ceil(ln(s.last) / ln(2))::int) as k
    cross join lateral (select lower(s.span) + s.last - (1 << k) as seq) step
    cross join lateral (${selectAtSeq(me.realm_id, sql`s.conversation_id`, sql`step.seq`)}) m
    where 1 << k between s.first and s.last
  ),
  oldest as materialized (
    select coalesce(max(id), 0) as id
    from (select id, sum((newer + 1) / 2) over (order by id desc) as newer from steps) s where newer > ${enough}::bigint
  ),
  starts as (
    select open.conversation_id, open.received, open.seqs * int4multirange(int4range(coalesce(older.seq, 0), null)) as seqs
    from open left join (
      select conversation_id, max(seq) as seq from steps join oldest on steps.id < oldest.id where not moved group by conversation_id
    ) older on older.conversation_id = open.conversation_id
  ),
  newer as materialized (
    select m.id, m.topic_id, s.conversation_id, ${mentioned(me, sql`s.received`)} as mentioned
    from starts s ${selectNewestSeq(me.realm_id, limit + 1, sql`s`)} ${withFlags(me)} where m.id >= (select id from oldest)
  ),
  newest as (select * from newer order by id desc limit ${limit})
  select total.*, s.* from (select (select count(*) from newer) > ${limit} as more, (select id from oldest) = 0 as is_all) total
  left join (${selectGroups(me, sql`newest`)}) s on true`;

const withFlags = (me: Me): SQL => sql`
  left join message_flags mf on mf.realm_id = ${me.realm_id} and mf.user_id = ${me.id} and mf.message_id = m.id`;

/** `UnreadGroup`s of the unread messages (id, topic_id, conversation_id, mentioned). */
const selectGroups = (me: Me, unread: SQL): SQL => sql`
  select case when t.id is not null then s.conversation_id end as stream_id, t.name as topic,
    case when t.id is null then ${participants} end as user_ids, s.ids, s.mentions
  from (
    select ${me.realm_id}::bigint as realm_id, conversation_id, topic_id, json_agg(id order by id) as ids,
      coalesce(json_agg(id order by id) filter (where mentioned), '[]') as mentions
    from ${unread} unread group by conversation_id, topic_id
  ) s left join topics t on t.realm_id = s.realm_id and t.id = s.topic_id
  order by s.conversation_id, t.name_key collate "C"`;

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
    sql`with ${withGenericPlan} s as materialized (
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
