// The facts that `canReadMessage` needs, joined to `messages m` of a query.

import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { User } from '../core/context.ts';
import { isGuest } from './roles.ts';
import { isGuest as isGuestSql } from './roles-sql.ts';
import { canReadMessage, isInHistory, type ViewerRole } from './rules-sql.ts';

/** A user in a query. */
export interface MessageViewer extends Pick<ViewerRole, 'is_guest'> {
  readonly id: SQL;
}

/** One user, as values of a statement. */
export const toViewer = (me: Pick<User, 'id' | 'role'>): MessageViewer => ({
  id: sql`${me.id}::bigint`,
  // A literal, not a parameter: the statement for guests has a plan of its own.
  is_guest: isGuest(me) ? sql`true` : sql`false`,
});

/** Users who are rows of the query: an alias of `users`. */
export const toViewerRow = (user: SQL): MessageViewer => ({ id: sql`${user}.id`, is_guest: isGuestSql(user) });

export interface HistoryView {
  /**
   * Left joins to put after `messages m`. They add no rows and take the aliases `own` (memberships) and `mf`
   * (message_flags).
   */
  readonly joins: SQL;
  /** Whether the user was in the conversation when the message was sent or moved to it. */
  readonly received: SQL;
  readonly has_row: SQL;
}

/** Which messages are in the history of a user, whether or not the user can still read them. */
export function messageHistory(user_id: SQL): HistoryView {
  const received = sql`coalesce(own.received @> m.seq, false)`;
  return {
    joins: sql`
    left join memberships own on own.realm_id = m.realm_id and own.conversation_id = m.conversation_id and own.user_id = ${user_id}
    left join message_flags mf on mf.realm_id = m.realm_id and mf.user_id = ${user_id} and mf.message_id = m.id`,
    received,
    has_row: isInHistory({ received, has_flags: sql`mf.message_id is not null` }),
  };
}

export interface AccessView extends HistoryView {
  readonly subscribed: SQL;
  /** `canReadMessage`. */
  readonly readable: SQL;
}

/**
 * Which messages a user can read. The query is written around `messages m`, and the alias must be `m`:
 *
 *   const { joins, readable } = messageAccess(toViewer(ctx.me));
 *   sql`select m.id from messages m ${joins} where m.realm_id = ${ctx.realm.id} and m.id = any(…) and ${readable}`
 *
 * Limit `m` by conversation, topic, seq or id as well: the conditions are filters, no index serves them. The joins also take the
 * alias `ms` (streams).
 */
export function messageAccess(viewer: MessageViewer): AccessView {
  const history = messageHistory(viewer.id);
  // A direct conversation has no row in streams, and a user with a membership there is a participant.
  const subscribed = sql`coalesce(own.active, false)`;
  return {
    ...history,
    // With `limit` PostgreSQL looks each stream up by its key. Without it, the planner can read all streams to join them to a page.
    joins: sql`
    left join lateral (
      select s.* from streams s where s.realm_id = m.realm_id and s.id = m.conversation_id limit 1
    ) ms on true${history.joins}`,
    subscribed,
    readable: canReadMessage(viewer, sql`ms`, { subscribed, in_history: history.has_row }),
  };
}
