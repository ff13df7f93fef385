import { chunkSize } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { type AccessView, type MessageViewer, messageAccess } from '../../access/messages-sql.ts';

/** SQL about one user and the messages `m` of a query. Every condition is true or false, never null. */
export interface MessageView extends AccessView {
  readonly unread: SQL;
  /** The user's flags on it, a `text[]` in the order of the specification. Meaningful only where `readable` holds. */
  readonly flags: SQL;
}

/**
 * Messages as one user sees them: `messageAccess`, with the flags. The joins also take the aliases `rm` (read_marks)
 * and `qm` (quiet_marks).
 */
export function messageView(viewer: MessageViewer): MessageView {
  const access = messageAccess(viewer);
  const reopened = sql`coalesce(rm.reopened @> m.seq, false)`;
  const quiet = sql`coalesce(qm.quiet @> m.seq, false)`;
  const unread = sql`((${access.received} and not ${quiet} or ${reopened}) and not coalesce(rm.read @> m.seq, false))`;
  return {
    ...access,
    joins: sql`${access.joins}
    left join read_marks rm on rm.realm_id = m.realm_id and rm.user_id = ${viewer.id}
      and rm.conversation_id = m.conversation_id and rm.chunk = m.seq / ${chunkSize}
    left join quiet_marks qm on qm.realm_id = m.realm_id and qm.conversation_id = m.conversation_id and qm.chunk = m.seq / ${chunkSize}`,
    unread,
    flags: flagsOf(viewer.id, access.received, unread),
  };
}

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
