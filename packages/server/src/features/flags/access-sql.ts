import { chunkSize } from '@parley/db';
import { type SQL, sql } from 'drizzle-orm';
import type { User } from '../../core/context.ts';
import { ROLE } from '../realm/index.ts';

/** SQL about one person and the messages `m` of a query. Every condition is true or false, never null. */
export interface MessageView {
  /**
   * Left joins to put behind `messages m`. They add no rows and take the aliases `ms` (streams), `mine` (memberships),
   * `mf` (message_flags), `rm` (read_marks) and `qm` (quiet_marks).
   */
  readonly joins: SQL;
  /** Whether the person may read the message (behaviour 3.4). */
  readonly readable: SQL;
  /** Whether the message belongs to their history: it came to them, or they have kept something about it. */
  readonly has_row: SQL;
  readonly unread: SQL;
  /** Their flags on it, a `text[]` in the order of the specification. Only of use where `readable` holds. */
  readonly flags: SQL;
}

/**
 * How messages look to one person. The query is written around `messages m`, and the alias must be `m`:
 *
 *   const { joins, readable, flags } = readableMessages(ctx.me);
 *   sql`select m.id, ${flags} as flags from messages m ${joins}
 *       where m.realm_id = ${ctx.realm.id} and m.id = any(…) and ${readable}`
 *
 * Limit `m` by conversation, topic, seq or id as well: the conditions here are filters, no index serves them.
 */
export function readableMessages(me: Pick<User, 'id' | 'role'>): MessageView {
  return messageView({ id: sql`${me.id}::bigint`, is_guest: me.role === ROLE.guest ? sql`true` : sql`false` });
}

/** The same for people who are rows of the query. */
export function messageView(person: { readonly id: SQL; readonly is_guest: SQL }): MessageView {
  const joins = sql`
    left join streams ms on ms.realm_id = m.realm_id and ms.id = m.conversation_id
    left join memberships mine on mine.realm_id = m.realm_id and mine.conversation_id = m.conversation_id and mine.user_id = ${person.id}
    left join message_flags mf on mf.realm_id = m.realm_id and mf.user_id = ${person.id} and mf.message_id = m.id
    left join read_marks rm on rm.realm_id = m.realm_id and rm.user_id = ${person.id}
      and rm.conversation_id = m.conversation_id and rm.chunk = m.seq / ${chunkSize}
    left join quiet_marks qm on qm.realm_id = m.realm_id and qm.conversation_id = m.conversation_id and qm.chunk = m.seq / ${chunkSize}`;
  const received = sql`coalesce(mine.received @> m.seq, false)`;
  const reopened = sql`coalesce(rm.reopened @> m.seq, false)`;
  const quiet = sql`coalesce(qm.quiet @> m.seq, false)`;
  const unread = sql`((${received} and not ${quiet} or ${reopened}) and not coalesce(rm.read @> m.seq, false))`;
  const has_row = sql`(${received} or mf.message_id is not null)`;
  const subscribed = sql`coalesce(mine.active, false)`;
  return {
    joins,
    readable: readable(person.is_guest, subscribed, has_row),
    has_row,
    unread,
    flags: flagsOf(person.id, received, unread),
  };
}

// A direct conversation has no row in streams, and a user with a membership there takes part in it.
const readable = (is_guest: SQL, subscribed: SQL, has_row: SQL): SQL => sql`case
    when ms.id is null then ${subscribed}
    when ms.archived_at is not null then false
    when not ms.invite_only then (not ${is_guest} or ${subscribed})
    when ms.history_public_to_subscribers then ${subscribed}
    else ${subscribed} and ${has_row}
  end`;

function flagsOf(user_id: SQL, received: SQL, unread: SQL): SQL {
  const stream = sql`(m.stream_wildcard and ${received})`;
  const topic = sql`(coalesce(${user_id} = any(m.topic_wildcard_user_ids), false) and ${received})`;
  return sql`array_remove(array[
    case when not ${unread} then 'read' end,
    case when mf.starred then 'starred' end,
    case when mf.collapsed then 'collapsed' end,
    case when mf.mentioned then 'mentioned' end,
    case when ${stream} or ${topic} then 'wildcard_mentioned' end,
    case when ${stream} then 'stream_wildcard_mentioned' end,
    case when ${topic} then 'topic_wildcard_mentioned' end,
    case when mf.has_alert_word then 'has_alert_word' end,
    case when not ${received} then 'historical' end
  ]::text[], null)`;
}
