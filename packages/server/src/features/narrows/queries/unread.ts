import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';
import { selectUnreadSeqs } from '../../flags/index.ts';

type Me = Pick<User, 'realm_id' | 'id'>;

/** As many unread messages are looked at one by one; of more, one comes soon in the order of an index. */
const FEW = 20_000;

/** The id of a message of `fewUnreadMessages`. */
export const unreadId: SQL = sql`unread.id`;

/**
 * The unread messages as `m`, in this order, if they are few: found by the gaps between read ranges, so that messages
 * read long ago cost nothing, and sorted before anything else about them is looked up, which ends with the page. Only
 * those of the conversations that `conversations` selects, if it is there. `offset 0` makes the planner look into each
 * gap; otherwise it scans all messages, expecting an unread one soon.
 */
export const fewUnreadMessages = (me: Me, order: SQL, conversations?: SQL): SQL => sql`(
    select x.id from (
      select gap.conversation_id, gap.span, sum(upper(gap.span) - lower(gap.span)) over () as total from (${unreadSpans(me, conversations)}) gap
    ) gaps
    cross join lateral (
      select x.id from messages x where x.realm_id = ${me.realm_id} and x.conversation_id = gaps.conversation_id
        and x.seq >= lower(gaps.span) and x.seq < upper(gaps.span) offset 0
    ) x
    where gaps.total <= ${FEW} order by x.id ${order} offset 0
  ) unread
  cross join lateral (select x.* from messages x where x.realm_id = ${me.realm_id} and x.id = unread.id limit 1) m`;

/** Whether more are unread, deleted ones included. Their number does not matter to its cost. */
export const areManyUnread = (me: Me, conversations?: SQL): SQL => sql`(
  select coalesce(sum(upper(gap.span) - lower(gap.span)), 0) > ${FEW} from (${unreadSpans(me, conversations)}) gap)`;

const unreadSpans = (me: Me, conversations: SQL | undefined): SQL =>
  sql`select gap.conversation_id, unnest(gap.seqs) as span from (${unreadSeqs(me, conversations)}) gap`;

const unreadSeqs = (me: Me, conversations: SQL | undefined): SQL =>
  selectUnreadSeqs(
    me.realm_id,
    sql`own.user_id = ${me.id} ${conversations ? sql`and own.conversation_id in (${conversations})` : sql``}`,
  );
