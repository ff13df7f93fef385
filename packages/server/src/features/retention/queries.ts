import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { hasProtectedHistory } from '../../access/rules-sql.ts';

/** A conversation with expired messages. */
export interface ExpiredConversation {
  readonly conversation_id: number;
  /** The name of the stream; null in direct conversations. */
  readonly stream: string | null;
  readonly days: number;
}

/** The time before which an expired message was sent. The number of days is capped. */
const cutoff = (now: Date, days: string) =>
  sql`${now.toISOString()}::timestamptz - least(${sql.raw(days)}, 36500) * interval '24 hours'`;

/**
 * Conversations after `after` whose oldest message is expired. The cost is one index lookup for each conversation with
 * a retention period. `days` applies where a stream sets none, and in direct conversations.
 */
export async function listDueConversations(
  db: Db,
  { realm_id, days, now, after }: { realm_id: number; days: number; now: Date; after: number },
  limit: number,
): Promise<ExpiredConversation[]> {
  return rows(
    db,
    sql`with retentions as (
          select c.id, s.name, coalesce(s.message_retention_days, ${days}::int) as days
          from conversations c left join streams s on s.realm_id = c.realm_id and s.id = c.id
          where c.realm_id = ${realm_id} and c.id > ${after}
        )
        select p.id as conversation_id, p.name as stream, p.days from retentions p
        cross join lateral (
          select m.sent_at from messages m where m.realm_id = ${realm_id} and m.conversation_id = p.id order by m.id limit 1
        ) oldest
        where p.days > 0 and oldest.sent_at < ${cutoff(now, 'p.days')} order by p.id limit ${limit}`,
  );
}

/**
 * The number of expired messages of each such conversation, and when the oldest was sent: UNIX time in milliseconds.
 */
export async function countExpiredIn(
  db: Db,
  realm_id: number,
  due: readonly ExpiredConversation[],
  now: Date,
): Promise<{ conversation_id: number; messages: number; oldest: number }[]> {
  return rows(
    db,
    sql`select d.conversation_id, count(*)::int as messages, (extract(epoch from min(m.sent_at)) * 1000)::float8 as oldest
        from jsonb_to_recordset(${JSON.stringify(due)}::jsonb) as d(conversation_id bigint, days int)
        join messages m on m.realm_id = ${realm_id} and m.conversation_id = d.conversation_id and m.id < coalesce((
          select unexpired.id from messages unexpired
          where unexpired.realm_id = ${realm_id} and unexpired.conversation_id = d.conversation_id and unexpired.sent_at >= ${cutoff(now, 'd.days')}
          order by unexpired.id limit 1
        ), 9223372036854775807)
        group by d.conversation_id order by d.conversation_id`,
  );
}

/** The retention settings of a conversation, as they are now. */
export interface ConversationRetention {
  /** Null: the organization's setting applies. */
  readonly days: number | null;
  readonly is_protected: boolean;
}

/** Undefined when nothing is to be deleted there because the organization is deactivated. */
export async function findRetention(
  db: Db,
  realm_id: number,
  conversation_id: number,
): Promise<ConversationRetention | undefined> {
  const [found] = await rows<ConversationRetention>(
    db,
    sql`select s.message_retention_days as days,
          coalesce(${hasProtectedHistory(sql`s`)}, false) as is_protected
        from conversations c join realms r on r.id = c.realm_id left join streams s on s.realm_id = c.realm_id and s.id = c.id
        where c.realm_id = ${realm_id} and c.id = ${conversation_id} and r.deactivated_at is null`,
  );
  return found;
}

export interface OldMessage {
  readonly id: number;
  /** Null in direct conversations. */
  readonly topic_id: number | null;
  readonly topic: string | null;
  /** UNIX time in milliseconds. */
  readonly sent_at: number;
}

/**
 * The oldest messages of a conversation from that id on. A moved message keeps its id, so these are in order of time.
 */
export async function listOldest(
  db: Db,
  { realm_id, conversation_id, from }: { realm_id: number; conversation_id: number; from: number },
  limit: number,
): Promise<OldMessage[]> {
  return rows(
    db,
    sql`select m.id, m.topic_id, t.name as topic, (extract(epoch from m.sent_at) * 1000)::float8 as sent_at
        from messages m left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
        where m.realm_id = ${realm_id} and m.conversation_id = ${conversation_id} and m.id >= ${from}
        order by m.id limit ${limit}`,
  );
}
