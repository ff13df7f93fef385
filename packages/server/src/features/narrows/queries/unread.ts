import { type SQL, sql } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';

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

/** Rows (conversation_id, seqs) of what the user has not read; `seqs` is a multirange. */
const unreadSeqs = (me: Me, conversations: SQL | undefined): SQL => sql`
    select u.conversation_id,
      (u.received - coalesce(quiet.seqs, '{}') + coalesce(marks.reopened, '{}')) * int4multirange(int4range(1, c.last_seq + 1)) - coalesce(marks.read, '{}')
        as seqs
    from memberships u
    join conversations c on c.realm_id = u.realm_id and c.id = u.conversation_id
    left join lateral (
      select range_agg(r.read) as read, range_agg(r.reopened) as reopened from read_marks r
      where r.realm_id = u.realm_id and r.user_id = u.user_id and r.conversation_id = u.conversation_id
    ) marks on true
    left join lateral (
      select range_agg(q.quiet) as seqs from quiet_marks q where q.realm_id = u.realm_id and q.conversation_id = u.conversation_id
    ) quiet on true
    where u.realm_id = ${me.realm_id} and u.user_id = ${me.id}
      ${conversations ? sql`and u.conversation_id in (${conversations})` : sql``}`;
