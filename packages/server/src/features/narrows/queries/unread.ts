import { type SQL, sql } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';
import { selectUnreadSeqs } from '../../flags/index.ts';

type Me = Pick<User, 'realm_id' | 'id'>;

/**
 * The unread messages as `m`, found by the gaps between read ranges, so that messages read long ago cost nothing; only
 * those of the conversations that `conversations` selects, if it is there. `offset 0` makes the planner look into each
 * gap; otherwise it scans all messages, expecting an unread one soon.
 */
export const unreadMessages = (me: Me, conversations?: SQL): SQL => sql`(
    select gap.conversation_id, unnest(gap.seqs) as span from (${unreadSeqs(me, conversations)}) gap
  ) gaps
  cross join lateral (
    select x.* from messages x where x.realm_id = ${me.realm_id} and x.conversation_id = gaps.conversation_id
      and x.seq >= lower(gaps.span) and x.seq < upper(gaps.span) offset 0
  ) m`;

/** How many messages are unread, deleted ones included. Their number does not matter to its cost. */
export const countUnread = (me: Me, conversations?: SQL): SQL => sql`
  coalesce(sum(upper(span) - lower(span)), 0) from (${unreadSeqs(me, conversations)}) gap, unnest(gap.seqs) as span`;

const unreadSeqs = (me: Me, conversations: SQL | undefined): SQL =>
  selectUnreadSeqs(
    me.realm_id,
    sql`own.user_id = ${me.id} ${conversations ? sql`and own.conversation_id in (${conversations})` : sql``}`,
  );
