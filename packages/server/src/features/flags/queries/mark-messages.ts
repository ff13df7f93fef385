import { chunkSize, type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import type { MessageSeqs } from '../../../core/event-log/delivery-metadata.ts';
import { selectUnreadSpans } from './unread-spans.ts';

type Me = Pick<User, 'realm_id' | 'id'>;

const byIds = (me: Me, ids: readonly number[]): SQL => sql`
  select m.id, m.conversation_id, m.seq from messages m where m.realm_id = ${me.realm_id} and m.id = any(${bigints(ids)})`;

interface Topic {
  readonly id: number;
  readonly stream_id: number;
}

// Scans the unread messages of the stream or the topic, whichever are fewer: large topics have mostly been read.
const byTopic = (me: Me, { id, stream_id }: Topic): SQL => sql`
  select m.conversation_id, m.seq from (
    with open as materialized (${selectUnreadSpans({ realm_id: me.realm_id, user_ids: [me.id], conversation_ids: [stream_id] })}),
    size as materialized (
      select coalesce(sum(upper(span) - lower(span)), 0) as unread from open cross join lateral unnest(open.seqs) as span
    ),
    plan as materialized (
      select size.unread < (
        select count(*) from (
          select from messages t where t.realm_id = ${me.realm_id} and t.topic_id = ${id} limit (select unread + 1 from size)
        ) seen
      ) as by_unread from size
    )
    select x.conversation_id, x.seq from open cross join plan cross join lateral unnest(open.seqs) as span
    cross join lateral (
      select n.conversation_id, n.seq from messages n
      where plan.by_unread and n.realm_id = ${me.realm_id} and n.conversation_id = open.conversation_id
        and n.seq >= lower(span) and n.seq < upper(span) and n.topic_id = ${id} offset 0
    ) x
    union all
    select x.conversation_id, x.seq from plan cross join lateral (
      select n.conversation_id, n.seq from messages n
      where not plan.by_unread and n.realm_id = ${me.realm_id} and n.topic_id = ${id} offset 0
    ) x
  ) m`;

/**
 * Locks the event counter: from here to the commit no other transaction of the organization can emit events. This must
 * be the last step of a transaction.
 */
export async function lockClock(db: Db, realm_id: number): Promise<void> {
  await rows(db, sql`select realm_id from realm_clock where realm_id = ${realm_id} for update`);
}

// Works on sets of numbers, one for each chunk of a conversation: the cost hardly depends on the number of ids.
const change = (me: Me, messages: SQL, { becomes, write, give }: { becomes: SQL; write: SQL; give: SQL }): SQL => sql`
  with requested as (${messages}),
  chunks as materialized (
    select conversation_id, seq / ${chunkSize} as chunk, range_agg(int4range(seq, seq + 1)) as seqs from requested group by 1, 2
  ),
  changed as materialized (
    select k.conversation_id, k.chunk, ${becomes} as seqs, own.received
    from chunks k
    join memberships own on own.realm_id = ${me.realm_id} and own.conversation_id = k.conversation_id and own.user_id = ${me.id}
    left join streams ms on ms.realm_id = own.realm_id and ms.id = own.conversation_id
    left join read_marks rm on rm.realm_id = own.realm_id and rm.user_id = own.user_id
      and rm.conversation_id = own.conversation_id and rm.chunk = k.chunk
    left join quiet_marks qm on qm.realm_id = own.realm_id and qm.conversation_id = own.conversation_id and qm.chunk = k.chunk
    where own.active and ms.archived_at is null
    order by k.conversation_id, k.chunk
    for share of own
  ),
  ${write}
  ${give}`;

const changedIds = sql`
  select coalesce(json_agg(w.id), '[]') as ids from requested w
  join changed c on c.conversation_id = w.conversation_id and c.chunk = w.seq / ${chunkSize} and c.seqs @> w.seq`;

const changedNumbers = sql`
  select c.conversation_id, range_agg(c.seqs)::text as seqs, sum(size.count)::int as count
  from changed c cross join lateral (select sum(upper(span) - lower(span)) as count from unnest(c.seqs) as span) size
  where not isempty(c.seqs) group by c.conversation_id`;

const unread = sql`((own.received - coalesce(qm.quiet, '{}') + coalesce(rm.reopened, '{}')) - coalesce(rm.read, '{}'))`;
const values = (me: Me) => sql`select ${me.realm_id}::bigint, ${me.id}::bigint, c.conversation_id, c.chunk`;
const conflict = sql`on conflict (realm_id, user_id, conversation_id, chunk) do update set`;

const reading = (me: Me) => ({
  becomes: sql`k.seqs * ${unread}`,
  write: sql`written as (
    insert into read_marks (realm_id, user_id, conversation_id, chunk, read)
    ${values(me)}, c.seqs from changed c where not isempty(c.seqs) order by c.conversation_id, c.chunk
    ${conflict} read = read_marks.read + excluded.read
  )`,
});

/** Marks messages as read. Returns the ids of those that were unread. */
export async function markRead(db: Db, me: Me, ids: readonly number[]): Promise<number[]> {
  const [row] = await rows<{ ids: number[] }>(db, change(me, byIds(me, ids), { ...reading(me), give: changedIds }));
  return row?.ids ?? [];
}

/** Marks the messages of a topic as read. Returns the numbers of those that were unread. */
export async function markTopicRead(db: Db, me: Me, topic: Topic): Promise<MessageSeqs[]> {
  return rows(db, change(me, byTopic(me, topic), { ...reading(me), give: changedNumbers }));
}

/**
 * Prevents the streams of these messages from being archived until the commit: archived streams have no unread
 * messages.
 */
async function keepOpen(db: Db, me: Me, messages: SQL): Promise<void> {
  await rows(
    db,
    sql`select s.id from streams s where s.realm_id = ${me.realm_id}
          and s.id in (select w.conversation_id from (${messages}) w) order by s.id for share`,
  );
}

/**
 * Marks messages as unread, including those from before the user subscribed, which thereby become part of their
 * history. Returns the ids of those that were read.
 */
export async function markUnread(db: Db, me: Me, ids: readonly number[]): Promise<number[]> {
  const messages = byIds(me, ids);
  await keepOpen(db, me, messages);
  const write = sql`written as (
    insert into read_marks (realm_id, user_id, conversation_id, chunk, read, reopened)
    ${values(me)}, '{}', c.seqs from changed c where not isempty(c.seqs) order by c.conversation_id, c.chunk
    ${conflict} read = read_marks.read - excluded.reopened, reopened = read_marks.reopened + excluded.reopened
  ),
  added_to_history as (
    insert into message_flags (realm_id, user_id, message_id)
    select ${me.realm_id}::bigint, ${me.id}::bigint, w.id from requested w
    join changed c on c.conversation_id = w.conversation_id and c.chunk = w.seq / ${chunkSize}
    where not c.seqs <@ c.received and c.seqs @> w.seq and not c.received @> w.seq order by w.id
    on conflict (realm_id, user_id, message_id) do nothing
  )`;
  const [row] = await rows<{ ids: number[] }>(
    db,
    change(me, messages, { becomes: sql`k.seqs - ${unread}`, write, give: changedIds }),
  );
  return row?.ids ?? [];
}
