import { rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { toViewer } from '../../../access/messages-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { Ctx, User } from '../../../core/context.ts';
import { jsonRows } from '../../../core/json-rows-sql.ts';
import { bounds } from '../../../core/limits.ts';
import type { NamedUser, UserNaming } from '../../../core/named-users.ts';
import { requireValue } from '../../../core/require-value.ts';
import { messageView } from '../../flags/index.ts';
import { type MoveRow, moveColumns } from '../../message-edits/index.ts';
import {
  type Participant,
  type PresentableReaction,
  type SeenMessage,
  type SeenRow,
  seenColumns,
  toSeenMessages,
} from '../../messages/index.ts';
import { namedUserColumns } from '../../users/index.ts';
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

interface ReactionRow extends Omit<PresentableReaction, 'by'> {
  readonly message_id: number;
  readonly user_id: number;
}

interface Facts extends Pick<PageMessages, 'moves' | 'renamings'> {
  readonly reactions: readonly ReactionRow[];
  readonly participants: readonly Participant[];
  /** All users whom the messages name; absent if they were remembered. */
  readonly users?: readonly NamedUser[];
}

interface Row extends FoundMessage, SeenRow {
  readonly id: number;
  /** In the first row: what is stored about all messages. */
  readonly facts: Facts | null;
}

/**
 * The maximum number of messages that one statement loads, and the maximum bytes of their texts. A statement for all of a large page takes a
 * tenth of a second, in which an embedded database does nothing else.
 */
export const CHUNK = { messages: 1000, bytes: 512 * 1024 };

/**
 * More rows than a statement loads. Of a `limit` that is a parameter the planner expects a tenth of the table, and the plan
 * allocates room for as many rows each time it starts.
 */
const MOST_ROWS = sql.raw(String(2 * CHUNK.messages));

/** Loads those of these messages that the user can read. One statement or two, however many they are. */
export async function loadMessages(ctx: Ctx<UserNaming>, ids: readonly number[]): Promise<PageMessages> {
  const { me } = ctx;
  const { columns, joins, readable } = pageView(me);
  const select = sql`select ${columns} from messages m ${joins}
    left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
    where m.realm_id = ${me.realm_id} and m.id = any(${bigints(ids)}) and ${readable}`;
  return toPageMessages(ctx, await listRows(ctx, select, Number.MAX_SAFE_INTEGER));
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
  ctx: Ctx<UserNaming>,
  narrow: NarrowSql,
  window: PageWindow,
  most: number,
): Promise<FoundPage | undefined> {
  const { columns } = pageView(ctx.me);
  const found = await listRows(ctx, selectPage([narrow], window, columns), most);
  return found.length === 0 ? undefined : { found, loaded: await toPageMessages(ctx, found) };
}

function pageView(me: Me) {
  const { flag_bits, joins, readable } = messageView(toViewer(me));
  return { columns: sql`${seenColumns(flag_bits)}, ${sizeColumn} as size`, joins, readable };
}

/**
 * `page` selects the columns of a view. What else is stored is looked up row by row: PostgreSQL cannot know how many
 * rows there are, and reads whole tables if it expects many. The users whom the messages name are a quarter of its work,
 * so they are not read if they are remembered.
 */
function listRows({ db, me, server }: Ctx<UserNaming>, page: SQL, most: number): Promise<Row[]> {
  const { realm_id } = me;
  const users = server.namedUsers.areRemembered ? sql`` : sql`, 'users', ${jsonNamedUsers(realm_id)}`;
  return rows(
    db,
    sql`with ${withGenericPlan} page as materialized (select * from (${page}) page limit ${MOST_ROWS}),
    moved as materialized (select move.* from (select distinct json_array_elements_text(moves)::bigint as id from page) one
      cross join lateral (select ${moveColumns} from topic_moves where realm_id = ${realm_id} and id = one.id limit 1) move),
    topic as (select topic_id as id from page union select from_topic_id from moved union select to_topic_id from moved),
    reaction as materialized (select r.* from page cross join lateral (
      select x.id, x.message_id, x.user_id, x.emoji_name, x.emoji_code, x.reaction_type from reactions x
      where x.realm_id = ${realm_id} and x.message_id = page.id offset 0) r),
    participant as materialized (select x.* from (select distinct conversation_id as id from page where stream_name is null) direct
      cross join lateral (select x.conversation_id, x.user_id from memberships x
        where x.realm_id = ${realm_id} and x.conversation_id = direct.id offset 0) x)
  select m.*, case when m.id = (select min(id) from page) then json_build_object(
      'reactions', ${jsonRows(sql`select * from reaction order by id`)},
      'participants', ${jsonRows(sql`select * from participant`)},
      'moves', ${jsonRows(sql`select * from moved order by id`)},
      'renamings', ${jsonRows(sql`select renaming.* from topic cross join lateral (${selectRenamings(realm_id)}) renaming
        order by id desc limit ${bounds.page_moves + 1}::int`)}${users}) end as facts
    from page m where (select sum(size) from page) <= ${most}::bigint order by m.id`,
  );
}

const jsonNamedUsers = (realm_id: number): SQL =>
  jsonRows(sql`select u.* from (select sender_id as id from page union select user_id from reaction union select user_id from participant) one
    cross join lateral (select ${namedUserColumns} from users u where u.realm_id = ${realm_id} and u.id = one.id limit 1) u`);

const selectRenamings = (realm_id: number): SQL => sql`select ${moveColumns} from topic_moves
  where realm_id = ${realm_id} and from_topic_id = topic.id and up_to >= (select min(id) from page where topic_id is not null)
  order by id desc limit ${bounds.page_moves + 1}::int`;

async function toPageMessages(ctx: Ctx<UserNaming>, found: readonly Row[]): Promise<PageMessages> {
  const { moves = [], renamings = [], participants = [], reactions: reacted = [] } = found[0]?.facts ?? {};
  const users = await findUsers(ctx, found);
  const reactions = new Map<number, PresentableReaction[]>();
  for (const { message_id, user_id, emoji_name, emoji_code, reaction_type } of reacted) {
    const reaction = { emoji_name, emoji_code, reaction_type, by: requireValue(users.get(user_id)) };
    const others = reactions.get(message_id);
    if (others) others.push(reaction);
    else reactions.set(message_id, [reaction]);
  }
  return {
    messages: toSeenMessages(found, { users, participants }),
    reactions,
    moves,
    renamings: [...renamings].reverse(),
  };
}

/** All users whom the messages name. */
async function findUsers(
  { db, me, server }: Ctx<UserNaming>,
  found: readonly Row[],
): Promise<ReadonlyMap<number, NamedUser>> {
  const { users, reactions = [], participants = [] } = found[0]?.facts ?? {};
  if (users) return new Map(users.map((user) => [user.id, user]));
  const ids = new Set(found.map(({ sender_id }) => sender_id));
  for (const { user_id } of reactions) ids.add(user_id);
  for (const { user_id } of participants) ids.add(user_id);
  return server.namedUsers.find(db, me.realm_id, ids);
}
