import { type Db, rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { toViewer } from '../../../access/messages-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { jsonRows } from '../../../core/json-rows-sql.ts';
import { bounds } from '../../../core/limits.ts';
import { messageView } from '../../flags/index.ts';
import { type MoveRow, moveColumns } from '../../message-edits/index.ts';
import {
  type MessageUser,
  type MessageUsers,
  type PresentableReaction,
  participantColumns,
  type SeenMessage,
  type SeenRow,
  seenColumns,
  senderColumns,
  toSeenMessages,
} from '../../messages/index.ts';
import type { PageWindow } from '../rules/page.ts';
import type { NarrowSql } from './narrow.ts';
import { type FoundMessage, selectPage, sizeColumn } from './page.ts';

type Me = Pick<User, 'realm_id' | 'id' | 'role'>;

/** Messages, ascending, with all that is stored about them, apart from earlier versions of their content. */
export interface PageMessages {
  readonly messages: readonly SeenMessage[];
  /** By message id: its reactions, oldest first. Messages without reactions are absent. */
  readonly reactions: ReadonlyMap<number, readonly PresentableReaction[]>;
  /** The moves of single messages, oldest first. */
  readonly moves: readonly MoveRow[];
  /**
   * The renames of whole topics that may apply, oldest first: if there are more than a page shows, the newest of them
   * and one more.
   */
  readonly renamings: readonly MoveRow[];
}

interface ReactionRow extends Omit<PresentableReaction, 'by'>, MessageUser {}

type Facts = Pick<PageMessages, 'moves' | 'renamings'> & MessageUsers;

interface Row extends FoundMessage, SeenRow {
  readonly id: number;
  readonly reactions: ReactionRow[] | null;
  /** In the first row: what is stored about all messages. */
  readonly facts: Facts | null;
}

/** Loads those of these messages that the user can read. One statement, however many they are. */
export async function loadMessages(db: Db, me: Me, ids: readonly number[]): Promise<PageMessages> {
  const { columns, joins, readable } = pageView(me);
  const select = sql`select ${columns} from messages m ${joins}
    left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
    where m.realm_id = ${me.realm_id} and m.id = any(${bigints(ids)}) and ${readable}`;
  return toPageMessages(await rows<Row>(db, selectMessages(me, select, Number.MAX_SAFE_INTEGER)));
}

/** The messages of a page, and what is stored about them if that was loaded with them. */
export interface FoundPage {
  readonly found: readonly FoundMessage[];
  readonly loaded?: PageMessages | undefined;
}

/**
 * Loads the page of a narrow whose messages are in the order of an index, in one statement, if its texts have at most
 * `most` bytes together. Undefined if they have more, or if there are none.
 */
export async function loadPage(
  db: Db,
  me: Me,
  narrow: NarrowSql,
  window: PageWindow,
  most: number,
): Promise<FoundPage | undefined> {
  const { columns } = pageView(me);
  const found = await rows<Row>(db, selectMessages(me, selectPage([narrow], window, columns), most));
  return found.length === 0 ? undefined : { found, loaded: toPageMessages(found) };
}

function pageView(me: Me) {
  const { flag_bits, joins, readable } = messageView(toViewer(me));
  return { columns: sql`${seenColumns(flag_bits)}, ${sizeColumn} as size`, joins, readable };
}

/**
 * `page` selects the columns of a view. What else is stored is looked up row by row: PostgreSQL cannot know how many
 * rows there are, and reads whole tables if it expects many.
 */
function selectMessages({ realm_id }: Me, page: SQL, most: number): SQL {
  return sql`with ${withGenericPlan} page as materialized (${page}),
    moved as materialized (select move.* from (select distinct json_array_elements_text(moves)::bigint as id from page) one
      cross join lateral (select ${moveColumns} from topic_moves where realm_id = ${realm_id} and id = one.id limit 1) move),
    topic as (select topic_id as id from page union select from_topic_id from moved union select to_topic_id from moved)
  select m.*, ${jsonReactions(realm_id)} as reactions, case when m.id = (select min(id) from page) then json_build_object(
      'senders', ${jsonRows(sql`select ${senderColumns} from (select distinct sender_id as id from page) sent
        cross join lateral (select * from users u where u.realm_id = ${realm_id} and u.id = sent.id limit 1) u`)},
      'participants', ${jsonRows(sql`select ${participantColumns} from (select distinct conversation_id as id from page where stream_name is null) direct
        cross join lateral (select * from memberships x where x.realm_id = ${realm_id} and x.conversation_id = direct.id offset 0) x
        cross join lateral (select * from users u where u.realm_id = ${realm_id} and u.id = x.user_id limit 1) u`)},
      'moves', ${jsonRows(sql`select * from moved order by id`)},
      'renamings', ${jsonRows(sql`select renaming.* from topic cross join lateral (${selectRenamings(realm_id)}) renaming
        order by id desc limit ${bounds.page_moves + 1}::int`)}) end as facts
    from page m where (select sum(size) from page) <= ${most}::bigint order by m.id`;
}

/** Null without reactions. */
const jsonReactions = (realm_id: number): SQL => sql`(select json_agg(r order by r.reaction_id) from (
  select r.id as reaction_id, r.emoji_name, r.emoji_code, r.reaction_type, u.id, u.full_name, u.delivery_email, u.email_address_visibility
  from reactions r cross join lateral (select * from users u where u.realm_id = r.realm_id and u.id = r.user_id limit 1) u where r.realm_id = ${realm_id} and r.message_id = m.id) r)`;

const selectRenamings = (realm_id: number): SQL => sql`select ${moveColumns} from topic_moves
  where realm_id = ${realm_id} and from_topic_id = topic.id and up_to >= (select min(id) from page where topic_id is not null)
  order by id desc limit ${bounds.page_moves + 1}::int`;

function toPageMessages(found: readonly Row[]): PageMessages {
  const { senders = [], participants = [], moves = [], renamings = [] } = found[0]?.facts ?? {};
  const reactions = new Map<number, PresentableReaction[]>();
  for (const row of found) if (row.reactions) reactions.set(row.id, row.reactions.map(toReaction));
  const messages = toSeenMessages(found, { senders, participants });
  return { messages, reactions, moves, renamings: [...renamings].reverse() };
}

const toReaction = ({ emoji_name, emoji_code, reaction_type, ...by }: ReactionRow): PresentableReaction => ({
  emoji_name,
  emoji_code,
  reaction_type,
  by,
});
