import { rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { Ctx, User } from '../../../core/context.ts';
import type { NamedUser, UserNaming } from '../../../core/named-users.ts';
import { requireValue } from '../../../core/require-value.ts';
import { messageViewOf } from '../../flags/index.ts';
import {
  groupParticipants,
  type PresentableReaction,
  type ShownMessage,
  type ShownMessageRow,
  shownColumns,
  toShownMessage,
} from '../../messages/index.ts';
import { jsonNamedUser } from '../../users/index.ts';
import type { PageWindow } from '../rules/page.ts';
import type { NarrowSql } from './narrow.ts';
import { type FoundMessage, selectPage, sizeColumn } from './page.ts';
import { loadPageFacts, type MessageWithFacts, type PageFacts, type UserReference } from './page-facts.ts';

type Me = Pick<User, 'realm_id' | 'id' | 'role'>;

/** Messages, ascending, with all that is stored about them, apart from earlier versions of their content. */
export interface PageMessages extends Pick<PageFacts, 'moves' | 'renamings'> {
  readonly messages: readonly ShownMessage[];
  /** By message id: its reactions, oldest first. Messages without reactions are absent. */
  readonly reactions: ReadonlyMap<number, readonly PresentableReaction[]>;
}

interface ReactionRow extends Omit<PresentableReaction, 'by'>, UserReference {
  readonly id: number;
}

interface Row extends Omit<ShownMessageRow, 'rendered_content'>, MessageWithFacts {
  /** Null if the texts of the message are too long for a short page. */
  readonly rendered_content: string | null;
  /** Absent where only the rendered text is read. */
  readonly content?: string | null;
  /** The bytes of its texts. Absent from short pages. */
  readonly size?: number;
  /** The bytes of the texts of all messages. Absent from short pages. */
  readonly total?: number;
  /** Null if there are none. */
  readonly reactions: readonly ReactionRow[] | null;
  /** Absent if the users were remembered. */
  readonly sender?: NamedUser;
}

/**
 * The maximum number of messages that one statement loads, and the maximum bytes of their texts. A statement for all of a large page takes a
 * tenth of a second, in which an embedded database does nothing else.
 */
export const CHUNK = { messages: 1000, bytes: 512 * 1024 };

/**
 * The maximum number of messages on a page where each has a limit of its own, and this limit in bytes. To add up the bytes of all messages
 * takes a tenth of the statement.
 */
const SHORT = { messages: 103, bytes: 5000 };

/**
 * More rows than a statement loads. Of a `limit` that is a parameter the planner expects a tenth of the table, and with millions of
 * messages chooses joins that read whole tables before the first row.
 */
const within = (page: SQL, { messages } = CHUNK): SQL =>
  sql`(select * from (${page}) page limit ${sql.raw(String(2 * messages))})`;

/** All rows of a page, or none if their texts are too large together. */
const withinBytes = (page: SQL): SQL =>
  sql`(select * from (select page.*, sum(size) over () as total from ${within(page)} page) page where total <= ${CHUNK.bytes}::bigint)`;

/** Which texts of the messages are loaded besides the rendered ones: without `apply_markdown` those that were sent. */
interface PageTexts {
  readonly apply_markdown: boolean;
}

/**
 * Loads those of these messages that the user can read. The number of statements does not depend on their number: one, one more for what only
 * some messages have (`loadPageFacts`), and one for users who are not remembered yet.
 */
export async function loadMessages(
  ctx: Ctx<UserNaming>,
  ids: readonly number[],
  texts: PageTexts,
): Promise<PageMessages> {
  return toPageMessages(ctx, await listRows(ctx, within(selectMessages(ctx.me, ids, texts))));
}

/** The messages of a page, and what is stored about them if that was loaded with them. */
export interface FoundPage {
  readonly found: readonly FoundMessage[];
  readonly loaded?: PageMessages | undefined;
}

/**
 * Finds the page of a narrow whose messages are in the order of an index, and loads them as `loadMessages` does if their texts are not too large
 * together. Undefined if they are, or if there are none.
 */
export async function loadPage(
  ctx: Ctx<UserNaming>,
  narrow: NarrowSql,
  window: PageWindow,
  texts: PageTexts,
): Promise<FoundPage | undefined> {
  const { num_before, num_after } = window;
  if (num_before + 1 + num_after <= SHORT.messages) return loadShortPage(ctx, narrow, window, texts);
  const { columns } = pageView(ctx.me, texts);
  const found = await listRows(ctx, withinBytes(selectPage([narrow], window, sql`${columns}, ${sizeColumn} as size`)));
  if (found.length === 0) return undefined;
  return { found: found.map(({ id, size = 0 }) => ({ id, size })), loaded: await toPageMessages(ctx, found) };
}

async function loadShortPage(
  ctx: Ctx<UserNaming>,
  narrow: NarrowSql,
  window: PageWindow,
  texts: PageTexts,
): Promise<FoundPage | undefined> {
  const textOf = (text: SQL) => sql`case when ${sizeColumn} <= ${SHORT.bytes}::int then ${text} end`;
  const { columns } = pageView(ctx.me, texts, textOf);
  const found = await listRows(ctx, within(selectPage([narrow], window, columns), SHORT));
  const complete = await withLongTexts(ctx, found, texts);
  if (!complete) return undefined;
  return { found: complete.map(({ id }) => ({ id, size: SHORT.bytes })), loaded: await toPageMessages(ctx, complete) };
}

/** Reads the messages whose texts are too long for a short page. Undefined if these are too large together, or have changed. */
async function withLongTexts(ctx: Ctx<UserNaming>, found: Row[], texts: PageTexts): Promise<Row[] | undefined> {
  const ids = found.filter((row) => row.rendered_content === null).map(({ id }) => id);
  if (ids.length === 0) return found;
  const long = await listRows(ctx, withinBytes(selectMessages(ctx.me, ids, texts, sql`, ${sizeColumn} as size`)));
  if (long.length < ids.length) return undefined;
  const byId = new Map(long.map((row) => [row.id, row]));
  return found.map((row) => byId.get(row.id) ?? row);
}

/** Selects those of these messages that the user can read. */
function selectMessages(me: Me, ids: readonly number[], texts: PageTexts, more = sql``): SQL {
  const { columns, joins, readable } = pageView(me, texts);
  return sql`select ${columns}${more} from messages m ${joins}
    left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
    where m.realm_id = ${me.realm_id} and m.id = any(${bigints(ids)}) and ${readable}`;
}

function pageView(me: Me, { apply_markdown }: PageTexts, textOf = (text: SQL): SQL => text) {
  const { flag_bits, joins, readable } = messageViewOf(me);
  const content = apply_markdown ? sql`` : sql`, ${textOf(sql`m.content`)} as content`;
  const rendered = sql`${textOf(sql`m.rendered_content`)} as rendered_content`;
  const columns = sql`${shownColumns(flag_bits)}, ${rendered}${content}, t.renamed_up_to`;
  return { columns, joins, readable };
}

/**
 * The messages of `page`, which selects the columns of a view, ascending. Their reactions are looked up row by row:
 * PostgreSQL cannot know how many rows there are, and reads the whole table if it expects many.
 */
async function listRows({ db, me, server }: Ctx<UserNaming>, page: SQL): Promise<Row[]> {
  const { realm_id } = me;
  // The users whom the messages name are a quarter of its work, so they are not read if they are remembered.
  const isNaming = !server.namedUsers.areRemembered;
  const sender = isNaming ? sql`, ${jsonNamedUser(realm_id, sql`m.sender_id`)} as sender` : sql``;
  const user = isNaming ? sql`, 'user', ${jsonNamedUser(realm_id, sql`x.user_id`)}` : sql``;
  const found = await rows<Row>(
    db,
    sql`select ${withGenericPlan} m.*, (
        select json_agg(json_build_object('id', x.id, 'emoji_name', x.emoji_name, 'emoji_code', x.emoji_code,
          'reaction_type', x.reaction_type, 'user_id', x.user_id${user}))
        from reactions x where x.realm_id = ${realm_id} and x.message_id = m.id
      ) as reactions${sender}
      from ${page} m`,
  );
  return found.sort((one, other) => one.id - other.id);
}

async function toPageMessages(ctx: Ctx<UserNaming>, found: readonly Row[]): Promise<PageMessages> {
  const { participants, moves, renamings } = await loadPageFacts(ctx, found);
  const users = await findUsers(ctx, found, participants);
  const reactions = new Map<number, PresentableReaction[]>();
  for (const { id, reactions: reacted } of found) {
    if (!reacted) continue;
    const oldestFirst = reacted.toSorted((one, other) => one.id - other.id);
    reactions.set(
      id,
      oldestFirst.map((reaction) => toReaction(reaction, users)),
    );
  }
  const byConversation = groupParticipants(participants, users);
  const messages = found.map((row) =>
    toShownMessage(row, requireValue(users.get(row.sender_id)), byConversation.get(row.conversation_id)),
  );
  return { messages, reactions, moves, renamings };
}

const toReaction = (
  { emoji_name, emoji_code, reaction_type, user_id }: ReactionRow,
  users: ReadonlyMap<number, NamedUser>,
): PresentableReaction => ({ emoji_name, emoji_code, reaction_type, by: requireValue(users.get(user_id)) });

/** All users whom the messages name. */
async function findUsers(
  { db, me, server }: Ctx<UserNaming>,
  found: readonly Row[],
  participants: PageFacts['participants'],
): Promise<ReadonlyMap<number, NamedUser>> {
  const users = new Map<number, NamedUser>();
  const ids = new Set<number>();
  const add = (id: number, user: NamedUser | undefined) => (user ? users.set(id, user) : ids.add(id));
  for (const { sender_id, sender, reactions } of found) {
    add(sender_id, sender);
    for (const { user_id, user } of reactions ?? []) add(user_id, user);
  }
  for (const { user_id, user } of participants) add(user_id, user);
  if (ids.size === 0) return users;
  return new Map([...users, ...(await server.namedUsers.find(db, me.realm_id, ids))]);
}
