import { chunkSize } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { type AccessView, type MessageViewer, messageAccess, toViewer } from '../../access/messages-sql.ts';
import type { User } from '../../core/context.ts';
import { FLAG_BITS, FLAGS } from './rules.ts';

/** SQL about one user and the messages `m` of a query. Every condition is true or false, never null. */
export interface MessageView extends AccessView {
  readonly unread: SQL;
  /** The user's flags on it as an integer, for `toFlags`. Meaningful only where `readable` holds. */
  readonly flag_bits: SQL;
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
    flag_bits: flagBitsOf(viewer.id, access.received, unread),
  };
}

const views = new WeakMap<Pick<User, 'id' | 'role'>, MessageView>();

/** Messages as a caller sees them. Put together once for each object of a caller: for each page it took a twentieth of the CPU time of the server. */
export function messageViewOf(me: Pick<User, 'id' | 'role'>): MessageView {
  const known = views.get(me);
  if (known) return known;
  const view = messageView(toViewer(me));
  views.set(me, view);
  return view;
}

const WILDCARDS: readonly (keyof typeof FLAG_BITS)[] = [
  'wildcard_mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
];

function flagBitsOf(user_id: SQL, received: SQL, unread: SQL): SQL {
  const stream = sql`(m.stream_wildcard and ${received})`;
  const topic = sql`(coalesce(${user_id} = any(m.topic_wildcard_user_ids), false) and ${received})`;
  const conditions: Record<keyof typeof FLAG_BITS, SQL> = {
    read: sql`not ${unread}`,
    starred: sql`mf.starred`,
    collapsed: sql`mf.collapsed`,
    mentioned: sql`mf.mentioned`,
    wildcard_mentioned: sql`${stream} or ${topic}`,
    stream_wildcard_mentioned: stream,
    topic_wildcard_mentioned: topic,
    has_alert_word: sql`mf.has_alert_word`,
    historical: sql`not ${received}`,
  };
  const bitOf = (flag: keyof typeof FLAG_BITS) =>
    sql`case when ${conditions[flag]} then ${sql.raw(String(FLAG_BITS[flag]))} else 0 end`;
  const bitsOf = (flags: readonly (keyof typeof FLAG_BITS)[]) => sql.join(flags.map(bitOf), sql` + `);
  // Few messages mention all of their recipients, and to look three times for each whether the user is one takes longer.
  const wildcards = sql`case when m.stream_wildcard or m.topic_wildcard_user_ids is not null then ${bitsOf(WILDCARDS)} else 0 end`;
  return sql`${bitsOf(FLAGS.filter((flag) => !WILDCARDS.includes(flag)))} + ${wildcards}`;
}
