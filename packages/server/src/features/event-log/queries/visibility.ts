// Which users can read which messages at this moment: at delivery, that decides which users get an event about
// messages.
import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import { toViewerRow } from '../../../access/messages-sql.ts';
import { canReadStreamContent, canReceiveMessageEvent } from '../../../access/rules-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { Schema } from '../../../core/contract.ts';
import type { ConversationPosition } from '../../../core/event-log/audience.ts';
import type { MessageSeqs } from '../../../core/event-log/delivery-metadata.ts';
import { messageView, toFlags } from '../../flags/index.ts';

type Flags = Schema<'MessageFlags'>;

const viewer = toViewerRow(sql`u`);
const view = messageView(viewer);
const usersSql = (realm_id: number, user_ids: readonly number[]) =>
  sql`(select id, role from users where realm_id = ${realm_id} and is_active and id = any(${bigints(user_ids)}))`;

// For `listReaders`: an event `e`, the stream `os` that the message left, and the user's membership `origin` there.
const isReceiver = canReceiveMessageEvent({
  can_read: view.readable,
  subscribed: view.subscribed,
  in_history: view.has_row,
  is_archived: sql`ms.archived_at is not null`,
  has_left: sql`e.left_id is not null`,
  is_sent: sql`e.is_sent`,
  by_number: sql`e.seq is not null`,
  received: sql`coalesce(origin.received @> e.seq, false)`,
  received_in_public: sql`coalesce(not os.invite_only and origin.received @> e.own_seq, false)`,
  was_subscribed: sql`coalesce(origin.active, false)`,
  had_flags: sql`coalesce(e.lost_by @> to_jsonb(u.id), false)`,
});

/**
 * For `listReaders`: all users who can satisfy `isReceiver`. They are found by their rows in the conversation or by their flags, because
 * in a large organization nearly all users with a queue have nothing to do with an event.
 */
const selectConcerned = (user_ids: readonly number[]) => sql`
  select concerned.user_id from (
    select x.user_id from memberships x where x.realm_id = m.realm_id and x.conversation_id in (m.conversation_id, e.left_id)
    union select x.user_id from message_flags x where x.realm_id = m.realm_id and x.message_id = m.id
    union select lost.user_id::bigint from jsonb_array_elements_text(e.lost_by) as lost(user_id)
    union select x.user_id from unnest(${bigints(user_ids)}) as x(user_id) where e.is_sent and e.seq is null
  ) concerned where concerned.user_id = any(${bigints(user_ids)})`;

/** An event about one message, or about several of which this one was named in the request. */
export interface MessageEvent {
  readonly event_id: number;
  readonly message_id: number;
  /**
   * The stream that the message was in. Recipients are its subscribers, or the users who received this number there;
   * where all users can read the stream, also the users who received the message itself.
   */
  readonly left?: { readonly id: number; readonly seq: number | undefined; readonly own_seq?: number | undefined };
  /** Users of that stream who had individual access to the message without having received it there, and lost it. */
  readonly lost_by?: readonly number[];
  /**
   * Whether the event is that it was sent: then users who have the message only through the move are not recipients.
   */
  readonly is_sent?: boolean;
}

interface FlaggedReader {
  readonly event_id: number;
  readonly user_id: number;
  readonly flag_bits: number;
}

const withFlags = ({ event_id, user_id, flag_bits }: FlaggedReader) => ({
  event_id,
  user_id,
  flags: [...toFlags(flag_bits)],
});

/**
 * The recipients of each event who can read its message, with their flags on it: they have it in their history, are in
 * its stream, were in the stream that it left, or received it there.
 */
export async function listReaders(
  db: Db,
  realm_id: number,
  about: readonly MessageEvent[],
  user_ids: readonly number[],
): Promise<{ event_id: number; user_id: number; flags: Flags }[]> {
  if (about.length === 0) return [];
  const events = about.map(({ left, is_sent = false, ...one }) => ({
    ...one,
    left_id: left?.id,
    seq: left?.seq,
    own_seq: left?.own_seq,
    is_sent,
  }));
  const found = await rows<FlaggedReader>(
    db,
    // With `limit` PostgreSQL looks everything up by its key. Without it, the planner can read whole tables to join them.
    sql`select e.event_id, concerned.user_id, reader.flag_bits
        from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as e(event_id bigint, message_id bigint, left_id bigint, seq int, own_seq int, is_sent boolean, lost_by jsonb)
        cross join lateral (select x.* from messages x where x.realm_id = ${realm_id} and x.id = e.message_id limit 1) m
        cross join lateral (${selectConcerned(user_ids)}) concerned
        cross join lateral (
          select ${view.flag_bits} as flag_bits
          from (select x.id, x.role from users x where x.realm_id = m.realm_id and x.id = concerned.user_id and x.is_active) u
          ${view.joins}
          left join streams os on os.realm_id = m.realm_id and os.id = e.left_id
          left join memberships origin on origin.realm_id = m.realm_id and origin.conversation_id = e.left_id and origin.user_id = u.id
          where ${isReceiver} limit 1
        ) reader`,
  );
  return found.map(withFlags);
}

/** The flags of users on messages. */
export async function listOwnFlags(
  db: Db,
  realm_id: number,
  about: readonly { event_id: number; user_id: number; message_id: number }[],
): Promise<{ event_id: number; user_id: number; flags: Flags }[]> {
  if (about.length === 0) return [];
  const found = await rows<FlaggedReader>(
    db,
    sql`select e.event_id, u.id as user_id, ${view.flag_bits} as flag_bits
        from jsonb_to_recordset(${JSON.stringify(about)}::jsonb) as e(event_id bigint, user_id bigint, message_id bigint)
        join users u on u.realm_id = ${realm_id} and u.id = e.user_id
        join messages m on m.realm_id = u.realm_id and m.id = e.message_id
        ${view.joins}`,
  );
  return found.map(withFlags);
}

/** An event about several messages that were all in one stream and are now all in one stream. */
export interface MultiMessageEvent {
  readonly event_id: number;
  readonly message_ids: readonly number[];
  readonly from: number;
  readonly to: number;
}

/**
 * For users of the stream that the messages were in: those of the messages that they can read. The query checks each
 * message for each user, and so runs only where the stream as a whole is readable.
 */
export async function listReadableParts(
  db: Db,
  realm_id: number,
  about: readonly MultiMessageEvent[],
  user_ids: readonly number[],
): Promise<{ event_id: number; user_id: number; ids: number[] }[]> {
  if (about.length === 0 || user_ids.length === 0) return [];
  const events = JSON.stringify(about);
  return rows(
    db,
    sql`with recipients as materialized (
          select e.event_id, e.message_ids, u.id, u.role
          from jsonb_to_recordset(${events}::jsonb) as e(event_id bigint, message_ids jsonb, "from" bigint, "to" bigint)
          join streams s on s.realm_id = ${realm_id} and s.id = e."to"
          cross join ${usersSql(realm_id, user_ids)} u
          left join memberships here on here.realm_id = ${realm_id} and here.conversation_id = e."to" and here.user_id = u.id and here.active
          join memberships there on there.realm_id = ${realm_id} and there.conversation_id = e."from" and there.user_id = u.id and there.active
          where ${canReadStreamContent(viewer, sql`s`, sql`here.user_id is not null`)}
        )
        select u.event_id, u.id as user_id, json_agg(m.id order by m.id) as ids
        from recipients u cross join lateral jsonb_array_elements_text(u.message_ids) as listed(id)
        join messages m on m.realm_id = ${realm_id} and m.id = listed.id::bigint
        ${view.joins}
        where ${view.readable} group by u.event_id, u.id`,
  );
}

/** Messages of a stream with protected history, with the `seq` that each had there. */
export interface ReceivedMessages {
  readonly event_id: number;
  readonly conversation_id: number;
  readonly message_ids: readonly number[];
  readonly seqs: readonly number[];
}

/**
 * For all present and former subscribers of the stream: the messages that they received, or have in their history now.
 */
export async function listReceivedParts(
  db: Db,
  realm_id: number,
  about: readonly ReceivedMessages[],
  user_ids: readonly number[],
): Promise<{ event_id: number; user_id: number; ids: number[] }[]> {
  if (about.length === 0) return [];
  return rows(
    db,
    sql`with one as materialized (
          select e.event_id, e.conversation_id, listed.id::bigint as id, listed.seq::int as seq, listed.n
          from jsonb_to_recordset(${JSON.stringify(about)}::jsonb) as e(event_id bigint, conversation_id bigint, message_ids jsonb, seqs jsonb)
          cross join lateral rows from (jsonb_array_elements_text(e.message_ids), jsonb_array_elements_text(e.seqs)) with ordinality as listed(id, seq, n)
        ),
        flagged as materialized (
          select one.event_id, one.id, f.user_id from one
          join message_flags f on f.realm_id = ${realm_id} and f.message_id = one.id and f.user_id = any(${bigints(user_ids)})
        )
        select one.event_id, x.user_id,
          coalesce(json_agg(one.id order by one.n) filter (where x.received @> one.seq or flagged.id is not null), '[]') as ids
        from one
        join memberships x on x.realm_id = ${realm_id} and x.conversation_id = one.conversation_id and x.user_id = any(${bigints(user_ids)})
        left join flagged on flagged.event_id = one.event_id and flagged.id = one.id and flagged.user_id = x.user_id
        group by one.event_id, x.user_id`,
  );
}

/** By event, the users who were in one stream and not in another at these moments. */
export async function listUsersWhoLostAccess(
  db: Db,
  realm_id: number,
  about: readonly { event_id: number; from: ConversationPosition; to: ConversationPosition }[],
  user_ids: readonly number[],
): Promise<{ event_id: number; user_id: number }[]> {
  if (about.length === 0) return [];
  return rows(
    db,
    sql`select e.event_id, u.id as user_id
        from jsonb_to_recordset(${JSON.stringify(about)}::jsonb) as e(event_id bigint, "from" jsonb, "to" jsonb)
        cross join ${usersSql(realm_id, user_ids)} u
        join memberships there on there.realm_id = ${realm_id} and there.conversation_id = (e."from"->>'id')::bigint
          and there.user_id = u.id and there.received @> (e."from"->>'seq')::int
        left join memberships here on here.realm_id = ${realm_id} and here.conversation_id = (e."to"->>'id')::bigint
          and here.user_id = u.id and here.received @> (e."to"->>'seq')::int
        where here.user_id is null`,
  );
}

/** Ids of the messages of topics, each up to the newest message that an event is about. */
export async function listMessagesOfTopics(
  db: Db,
  realm_id: number,
  about: readonly { event_id: number; topic_id: number; up_to: number }[],
): Promise<Map<number, number[]>> {
  if (about.length === 0) return new Map();
  const found = await rows<{ event_id: number; ids: number[] }>(
    db,
    sql`select e.event_id, coalesce(json_agg(m.id order by m.id), '[]') as ids
        from jsonb_to_recordset(${JSON.stringify(about)}::jsonb) as e(event_id bigint, topic_id bigint, up_to bigint)
        join messages m on m.realm_id = ${realm_id} and m.topic_id = e.topic_id and m.id <= e.up_to
        group by e.event_id`,
  );
  return new Map(found.map(({ event_id, ids }) => [event_id, ids]));
}

/**
 * Ids of the messages that had these numbers when the event was written, ascending. Beyond `limit` the newest, since no
 * client knows of older ones. Messages that left the conversation after the event are found by the events about their
 * leaving.
 */
export async function listMessagesOfNumbers(
  db: Db,
  realm_id: number,
  about: readonly (MessageSeqs & { event_id: number })[],
  limit: number,
): Promise<Map<number, number[]>> {
  if (about.length === 0) return new Map();
  const found = await rows<{ event_id: number; ids: number[] }>(
    db,
    sql`with about as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(about)}::jsonb) as e(event_id bigint, conversation_id bigint, seqs int4multirange)
      ),
      meant as (
        select e.event_id, m.id
        from about e cross join lateral unnest(e.seqs) as span
        cross join lateral (
          select x.id from messages x
          where x.realm_id = ${realm_id} and x.conversation_id = e.conversation_id and x.seq >= lower(span) and x.seq < upper(span)
          order by x.seq desc limit ${limit}
        ) m
        union
        select e.event_id, former.id
        from about e
        join events g on g.realm_id = ${realm_id} and g.left_id = e.conversation_id and g.id > e.event_id
        cross join lateral unnest(g.message_ids, g.seqs) as former(id, seq)
        where e.seqs @> former.seq
      )
      select event_id, json_agg(id order by id) as ids
      from (select event_id, id, row_number() over (partition by event_id order by id desc) as n from meant) newest
      where n <= ${limit} group by event_id`,
  );
  return new Map(found.map(({ event_id, ids }) => [event_id, ids]));
}
