// The rules of rules.ts as SQL conditions, each under the same name and in the same order; the reasons are in rules.ts.
// A condition is true or false if its facts are, and never null. `stream` is an alias of `streams`.

import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { ConversationFacts, MessageEventFacts, MessageFacts } from './rules.ts';

/** Facts of a user in a query. */
export interface ViewerRole {
  readonly is_guest: SQL;
  readonly is_administrator: SQL;
}

export function canSeeStream(me: ViewerRole, stream: SQL, subscribed: SQL): SQL {
  return sql`(${canAccessStream(me, stream, subscribed)} or ${stream}.archived_at is null and ${me.is_administrator})`;
}

export function canAccessStream({ is_guest }: Pick<ViewerRole, 'is_guest'>, stream: SQL, subscribed: SQL): SQL {
  return sql`(${stream}.archived_at is null
    and (${subscribed} or ${stream}.is_web_public or not ${stream}.invite_only and not ${is_guest}))`;
}

export function canReadStreamContent({ is_guest }: Pick<ViewerRole, 'is_guest'>, stream: SQL, subscribed: SQL): SQL {
  return sql`(${stream}.archived_at is null and (${subscribed} or not ${stream}.invite_only and not ${is_guest}))`;
}

export function hasProtectedHistory(stream: SQL): SQL {
  return sql`(${stream}.invite_only and not ${stream}.history_public_to_subscribers)`;
}

export function isInHistory({ received, has_flags }: { received: SQL; has_flags: SQL }): SQL {
  return sql`(${received} or ${has_flags})`;
}

/** `stream` is the outer side of a join: it has no row for a direct message. */
export function canReadMessage(
  me: Pick<ViewerRole, 'is_guest'>,
  stream: SQL,
  { subscribed, in_history }: MessageFacts<SQL>,
): SQL {
  // One CASE, so that the planner estimates it as one condition.
  return sql`case when ${stream}.id is null then ${subscribed}
    else ${canReadStreamContent(me, stream, subscribed)} and (not ${hasProtectedHistory(stream)} or ${in_history}) end`;
}

export function isInAudience({ subscribed, by_number, received }: ConversationFacts<SQL>): SQL {
  return sql`(${subscribed} and (not ${by_number} or ${received}))`;
}

export function canReceiveMessageEvent(facts: MessageEventFacts<SQL>): SQL {
  const { can_read, subscribed, in_history, by_number, is_sent } = facts;
  return sql`((${can_read} or (${by_number} and not ${is_sent} and ${facts.is_archived} and ${subscribed} and ${in_history}))
    and case
      when not ${facts.has_left} then ${in_history} or ${subscribed}
      when ${is_sent} then not ${by_number} or ${facts.received}
      when not ${by_number} then ${in_history} or ${facts.was_subscribed}
      else ${in_history} or ${facts.had_flags} or ${facts.received} or ${facts.received_in_public}
    end)`;
}
