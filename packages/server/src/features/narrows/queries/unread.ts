import { type SQL, sql } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';

/**
 * The unread messages as `m`, found by the gaps between read ranges, so that messages read long ago cost nothing.
 * `offset 0` makes the planner look into each gap; otherwise it scans all messages, expecting an unread one soon.
 */
export const unreadMessages = (me: Pick<User, 'realm_id' | 'id'>): SQL => sql`(
    select u.conversation_id, unnest(
      (u.received - coalesce(quiet.seqs, '{}') + coalesce(marks.reopened, '{}')) * int4multirange(int4range(1, c.last_seq + 1)) - coalesce(marks.read, '{}')
    ) as span
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
  ) gaps
  cross join lateral (
    select x.* from messages x where x.realm_id = ${me.realm_id} and x.conversation_id = gaps.conversation_id
      and x.seq >= lower(gaps.span) and x.seq < upper(gaps.span) offset 0
  ) m`;
