import { type Db, rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { hasProtectedHistory } from '../../../access/rules-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { bounds } from '../../../core/limits.ts';
import type { NamedUser } from '../../../core/named-users.ts';
import { requireValue } from '../../../core/require-value.ts';
import { messageViewOf, toFlags } from '../../flags/index.ts';
import { namedUserColumns } from '../../users/index.ts';
import type { PresentableMessage } from '../present.ts';
import type { Flag } from '../rules/flags.ts';

type Me = Pick<User, 'realm_id' | 'id' | 'role'>;

/** What a page of messages shows of one, as one user sees it. */
export interface ShownMessage extends PresentableMessage {
  readonly topic_id: number | null;
  /** When the message itself was last edited or moved: UNIX time in seconds. */
  readonly last_edit_at: number | null;
  /**
   * The moves of the message apart from its whole topic: the newest, and one more than a page shows if there are more.
   */
  readonly moves: readonly number[];
  readonly flags: readonly Flag[];
}

/** A row of `shownColumns`. */
export interface ShownMessageRow extends Omit<ShownMessage, 'sender' | 'participants' | 'flags' | 'moves' | 'content'> {
  /** See `toFlags`. */
  readonly flag_bits: number;
  /** Null without moves. */
  readonly moves: readonly number[] | null;
  readonly sender_id: number;
}

/** The texts of a row that was read to be shown: the rendered one, and the one that was sent where that is shown too. */
interface Texts {
  readonly rendered_content: string | null;
  readonly content?: string | null;
}

/** A message as one user sees it. */
export interface SeenMessage extends ShownMessage {
  readonly content: string;
  readonly seq: number;
  /** Whether the history of its stream is protected. */
  readonly is_protected: boolean;
  readonly has_attachment: boolean;
}

interface SeenRow extends ShownMessageRow, Pick<SeenMessage, 'content' | 'seq' | 'is_protected' | 'has_attachment'> {
  readonly sender: NamedUser;
}

/** A participant of a direct conversation. */
export interface Participant {
  readonly conversation_id: number;
  readonly user_id: number;
}

/** Columns of a query around `messages m` with the joins and the flags of its view, and the topic as `t`: all but the texts. */
export const shownColumns = (flag_bits: SQL): SQL => sql`
  m.id, m.conversation_id, m.topic_id, m.client, m.is_me_message,
  date_part('epoch', m.sent_at) as sent_at, floor(date_part('epoch', m.last_edit_at))::bigint as last_edit_at,
  case when cardinality(m.moves) > 0 then to_json(m.moves[greatest(cardinality(m.moves) - ${bounds.page_moves}::int, 1):]) end as moves,
  ms.name as stream_name, t.name as topic, ${flag_bits} as flag_bits, m.sender_id`;

const seenColumns = (
  flag_bits: SQL,
): SQL => sql`${shownColumns(flag_bits)}, m.rendered_content, m.content, m.seq, m.has_attachment,
  coalesce(${hasProtectedHistory(sql`ms`)}, false) as is_protected`;

/** Those of these messages that the user can read, ascending. */
export async function listSeenMessages(db: Db, me: Me, ids: readonly number[]): Promise<SeenMessage[]> {
  const view = messageViewOf(me);
  const found = await rows<SeenRow>(
    db,
    sql`select ${withGenericPlan} ${seenColumns(view.flag_bits)}, (select to_json(s) from (select ${namedUserColumns}) s) as sender
        from messages m ${view.joins}
        join users u on u.realm_id = m.realm_id and u.id = m.sender_id
        left join topics t on t.realm_id = m.realm_id and t.id = m.topic_id
        where m.realm_id = ${me.realm_id} and m.id = any(${bigints(ids)}) and ${view.readable}
        order by m.id`,
  );
  const direct = found.filter(({ stream_name }) => stream_name === null).map(({ conversation_id }) => conversation_id);
  const participants = await listParticipants(db, me.realm_id, [...new Set(direct)]);
  const byConversation = groupParticipants(participants, new Map(participants.map((user) => [user.user_id, user])));
  return found.map((row) => ({
    ...toShownMessage(row, row.sender, byConversation.get(row.conversation_id)),
    content: row.content,
    seq: row.seq,
    is_protected: row.is_protected,
    has_attachment: row.has_attachment,
  }));
}

async function listParticipants(
  db: Db,
  realm_id: number,
  conversation_ids: readonly number[],
): Promise<(Participant & NamedUser)[]> {
  if (conversation_ids.length === 0) return [];
  return rows(
    db,
    sql`select x.conversation_id, x.user_id, ${namedUserColumns}
        from memberships x join users u on u.realm_id = x.realm_id and u.id = x.user_id
        where x.realm_id = ${realm_id} and x.conversation_id = any(${bigints(conversation_ids)})`,
  );
}

/** The participants of each direct conversation, by its id. `users` has all of them. */
export function groupParticipants(
  participants: readonly Participant[],
  users: ReadonlyMap<number, NamedUser>,
): Map<number, NamedUser[]> {
  const groups = new Map<number, NamedUser[]>();
  for (const { conversation_id, user_id } of participants) {
    const user = requireValue(users.get(user_id));
    const others = groups.get(conversation_id);
    if (others) others.push(user);
    else groups.set(conversation_id, [user]);
  }
  return groups;
}

const NO_MOVES: readonly number[] = [];
const NO_PARTICIPANTS: readonly NamedUser[] = [];

/**
 * To add fields to a row of the driver takes several times as long as to copy it: each row would get a hidden class of
 * its own.
 */
export function toShownMessage(
  row: Omit<ShownMessageRow, 'rendered_content'> & Texts,
  sender: NamedUser,
  participants: readonly NamedUser[] = NO_PARTICIPANTS,
): ShownMessage {
  return {
    id: row.id,
    conversation_id: row.conversation_id,
    topic_id: row.topic_id,
    sender,
    content: row.content ?? null,
    rendered_content: requireValue(row.rendered_content),
    client: row.client,
    sent_at: row.sent_at,
    last_edit_at: row.last_edit_at,
    is_me_message: row.is_me_message,
    moves: row.moves ?? NO_MOVES,
    stream_name: row.stream_name,
    topic: row.topic,
    participants,
    flags: toFlags(row.flag_bits),
  };
}

/**
 * The newest message that a user ever received, as JSON. The last one received in each conversation is found by its
 * number; messages with a higher id were in the conversation before it if it was moved there.
 */
export function jsonNewestReceived({ realm_id, id }: Pick<User, 'realm_id' | 'id'>): SQL {
  const messages = sql`messages m where m.realm_id = x.realm_id and x.received @> m.seq`;
  return sql`(select to_json(max(coalesce(newer.id, last.id))) from memberships x
      cross join lateral (
        select m.id from ${messages} and m.conversation_id = x.conversation_id
          and m.seq >= lower(x.received) and (x.active or m.seq < upper(x.received)) order by m.seq desc limit 1
      ) last
      left join lateral (
        select m.id from ${messages} and x.active
          and m.conversation_id = x.conversation_id and m.id > last.id order by m.id desc limit 1
      ) newer on true
      where x.realm_id = ${realm_id} and x.user_id = ${id})`;
}
