import { type Db, rows, sqlState } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { messageAccess, toViewer } from '../../../access/messages-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { requireValue } from '../../../core/require-value.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { topicKey } from '../../../text/topics.ts';
import { isMoving, type MoveSelection } from './update.ts';

/**
 * The number of messages that one statement moves: small enough for the statement timeout, and to leave time to others.
 * With 200 messages the p99 of others was 1.7 to 2.2 times that of an idle server, with 50 it was 1.1 to 1.9
 * (`npm run bench move`), and a move took a fifth to two fifths longer.
 */
const BATCH = 50;

/** The number of messages that a move is about, counted up to `limit`. */
export async function countMoving(db: Db, realm_id: number, moving: MoveSelection, limit: number): Promise<number> {
  const [row] = await rows<{ count: number }>(
    db,
    sql`select count(*)::int as count from (
          select from messages m where m.realm_id = ${realm_id} and ${isMoving(moving)} limit ${limit}
        ) moving`,
  );
  return row?.count ?? 0;
}

export async function findNewestInTopic(db: Db, realm_id: number, topic_id: number): Promise<number | undefined> {
  const [row] = await rows<{ id: number }>(
    db,
    sql`select id from messages where realm_id = ${realm_id} and topic_id = ${topic_id} order by id desc limit 1`,
  );
  return row?.id;
}

/** Whether a topic has messages in a span of ids; the first id is excluded. */
export async function hasMessages(
  db: Db,
  realm_id: number,
  topic_id: number,
  { after, up_to }: { after: number; up_to: number },
): Promise<boolean> {
  const found = await rows(
    db,
    sql`select from messages where realm_id = ${realm_id} and topic_id = ${topic_id} and id > ${after} and id <= ${up_to}
        order by id limit 1`,
  );
  return found.length > 0;
}

interface NewMove {
  readonly realm_id: number;
  readonly user_id: number;
  readonly now: Date;
  readonly from: { readonly stream_id: number; readonly topic_id: number; readonly topic: string };
  readonly to: { readonly stream_id: number; readonly topic_id: number; readonly topic: string };
  readonly up_to: number | null;
}

/** Stores a move and returns its id. */
export async function insertMove(db: Db, { realm_id, user_id, now, from, to, up_to }: NewMove): Promise<number> {
  const [row] = await rows<{ id: number }>(
    db,
    sql`insert into topic_moves (realm_id, user_id, moved_at, from_stream_id, to_stream_id, from_topic_id, to_topic_id, from_topic, to_topic, up_to)
        values (${realm_id}, ${user_id}, ${now.toISOString()}::timestamptz, ${from.stream_id}, ${to.stream_id},
          ${from.topic_id}, ${to.topic_id}, ${from.topic}, ${to.topic}, ${up_to})
        returning id`,
  );
  if (!row) throw new Error('unreachable');
  return row.id;
}

/**
 * Renames a topic with all its messages. `taken` is an empty topic of the new name: its policies apply where the
 * renamed topic has none.
 */
export async function renameTopic(
  db: Db,
  realm_id: number,
  { id, name, taken }: { id: number; name: string; taken: number | undefined },
): Promise<void> {
  try {
    if (taken !== undefined) await absorbTopic(db, realm_id, id, taken);
    await rows(
      db,
      sql`update topics set name = ${name}, name_key = ${topicKey(name)} where realm_id = ${realm_id} and id = ${id}`,
    );
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    abortAndRetry('Another request created a topic of the new name meanwhile.');
  }
}

async function absorbTopic(db: Db, realm_id: number, id: number, taken: number): Promise<void> {
  await rows(
    db,
    sql`update user_topics u set topic_id = ${id} where u.realm_id = ${realm_id} and u.topic_id = ${taken}
        and not exists (select from user_topics o where o.realm_id = u.realm_id and o.user_id = u.user_id and o.topic_id = ${id})`,
  );
  await rows(db, sql`delete from topics where realm_id = ${realm_id} and id = ${taken}`);
}

/** The destination of messages, and the id of the stored move. */
export interface MoveParams {
  readonly me: User;
  readonly moving: MoveSelection;
  readonly move_id: number;
  readonly to_topic_id: number;
  readonly now: Date;
  /** Only messages after this one: those before it have moved, and skipping their dead index entries costs time. */
  readonly after: number;
  /** Only messages up to this one. */
  readonly up_to: number;
  /** What runs between two batches. `since` is when the batch before began. */
  readonly between: (since: number) => Promise<void>;
}

/** A moved message, with its number before and after. Within a stream they are the same. */
export interface MovedMessage {
  readonly id: number;
  readonly old_seq: number;
  readonly new_seq: number;
}

/** Moves messages to another topic of their stream, including those that the user cannot read. */
export async function moveWithinStream(db: Db, params: MoveParams): Promise<MovedMessage[]> {
  return inBatches(db, params, {
    joins: sql``,
    condition: sql`true`,
    setPosition: () => sql``,
    seq: sql`moving.old_seq`,
  });
}

/** Moves the messages that the user can read to another stream, where they take the numbers from `first_seq` on. */
export async function moveBetweenStreams(
  db: Db,
  params: MoveParams,
  { stream_id, first_seq }: { stream_id: number; first_seq: number },
): Promise<MovedMessage[]> {
  const { joins, readable } = messageAccess(toViewer(params.me));
  return inBatches(db, params, {
    joins,
    condition: readable,
    setPosition: (moved) => sql`conversation_id = ${stream_id}, seq = ${first_seq + moved}::int + moving.n,`,
    seq: sql`m.seq`,
  });
}

interface Batch {
  readonly joins: SQL;
  readonly condition: SQL;
  readonly setPosition: (moved: number) => SQL;
  readonly seq: SQL;
}

async function inBatches(
  db: Db,
  params: MoveParams,
  { joins, condition, setPosition, seq }: Batch,
): Promise<MovedMessage[]> {
  const { me, moving, move_id, to_topic_id, now, after, up_to } = params;
  const moved: MovedMessage[] = [];
  for (;;) {
    const since = performance.now();
    const batch = await rows<MovedMessage>(
      db,
      sql`with moving as materialized (
          select id, old_seq, row_number() over (order by id)::int - 1 as n
          from (
            select m.id, m.seq as old_seq from messages m ${joins}
            where m.realm_id = ${me.realm_id} and ${isMoving(moving)} and m.id > ${moved.at(-1)?.id ?? after}::bigint and m.id <= ${up_to}::bigint
              and ${condition}
            order by m.id limit ${BATCH}
          ) batch
        )
        update messages m set ${setPosition(moved.length)} topic_id = ${to_topic_id}, moves = m.moves || ${move_id}::bigint,
          last_edit_at = ${now.toISOString()}::timestamptz
        from moving where m.realm_id = ${me.realm_id} and m.id = moving.id
        returning m.id, moving.old_seq, ${seq} as new_seq`,
    );
    const isFirst = moved.length === 0;
    moved.push(...batch.sort((one, other) => one.id - other.id));
    if (batch.length < BATCH) break;
    if (isFirst) await setSorting(db, 'off');
    await params.between(since);
  }
  if (moved.length >= BATCH) await setSorting(db, 'on');
  return moved;
}

/**
 * Sets whether PostgreSQL can use sorts, until the commit. After messages moved into a topic the planner underestimates
 * their number, and would sort all of them for each batch: 60 ms instead of 5 ms at 100,000 messages.
 */
async function setSorting(db: Db, to: 'on' | 'off'): Promise<void> {
  await rows(db, sql`select set_config('enable_sort', ${to}, true)`);
}

/** Moves reactions with their messages. They are few: each is looked up by its message. */
export async function moveReactions(db: Db, realm_id: number, from: number, to: number): Promise<void> {
  await rows(
    db,
    sql`update reactions r set topic_id = ${to} where r.realm_id = ${realm_id} and r.topic_id = ${from}
        and (select m.topic_id from messages m where m.realm_id = r.realm_id and m.id = r.message_id) = ${to}`,
  );
}

/** Stores which messages the events about whole topics are about, before some of these leave or others join them. */
export async function writeTopicEventLists(db: Db, realm_id: number, topic_ids: readonly number[]): Promise<void> {
  await rows(
    db,
    sql`update events e set topic_id = null, message_ids = coalesce(found.ids, e.message_ids),
          bytes = e.bytes + coalesce(octet_length(found.ids::text), 0)
        from events about cross join lateral (
          select array_agg(m.id order by m.id <> (about.payload->>'message_id')::bigint, m.id) as ids from messages m
          where m.realm_id = about.realm_id and m.topic_id = about.topic_id
            and m.id <= (about.audience#>>'{asides,topic,up_to}')::bigint
        ) found
        where about.realm_id = e.realm_id and about.id = e.id and e.realm_id = ${realm_id} and e.topic_id = any(${bigints(topic_ids)})`,
  );
}

/** Ids and numbers of a topic's messages, ascending. */
export async function listTopicMessages(db: Db, realm_id: number, topic_id: number): Promise<MovedMessage[]> {
  return rows(
    db,
    sql`select id, seq as old_seq, seq as new_seq from messages where realm_id = ${realm_id} and topic_id = ${topic_id} order by id`,
  );
}

export async function findLastSeq(db: Db, realm_id: number, conversation_id: number): Promise<number> {
  const [row] = await rows<{ last_seq: number }>(
    db,
    sql`select last_seq from conversations where realm_id = ${realm_id} and id = ${conversation_id}`,
  );
  return requireValue(row).last_seq;
}

export async function updateLastSeq(
  db: Db,
  realm_id: number,
  conversation_id: number,
  last_seq: number,
): Promise<void> {
  await rows(
    db,
    sql`update conversations set last_seq = ${last_seq} where realm_id = ${realm_id} and id = ${conversation_id}`,
  );
}

/** Serializes large moves into one stream: they choose their numbers before they lock it. */
export async function waitForLargeMoves(db: Db, realm_id: number, stream_id: number): Promise<void> {
  await rows(
    db,
    sql`select pg_advisory_xact_lock(hashtextextended('move', ${realm_id}::bigint * 1000003 + ${stream_id}::bigint))`,
  );
}
