import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import { messageAccess, messageHistory, toViewer } from '../../../access/messages-sql.ts';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import type { Composed } from '../../messages/index.ts';
import type { PropagateMode } from '../rules/update.ts';

/** The messages that a move is about. */
export interface MoveSelection {
  readonly message_id: number;
  readonly topic_id: number;
  readonly propagate_mode: PropagateMode;
}

/** A condition on `messages m` that selects those messages. */
export function isMoving({ message_id, topic_id, propagate_mode }: MoveSelection): SQL {
  if (propagate_mode === 'change_one') return sql`m.topic_id = ${topic_id} and m.id = ${message_id}`;
  return propagate_mode === 'change_later'
    ? sql`m.topic_id = ${topic_id} and m.id >= ${message_id}`
    : sql`m.topic_id = ${topic_id}`;
}

/** When the oldest of them that the user can read was sent: UNIX time in seconds. */
export async function findOldestMoving(db: Db, me: User, moving: MoveSelection): Promise<number | undefined> {
  const { joins, readable } = messageAccess(toViewer(me));
  const [oldest] = await rows<{ sent_at: number }>(
    db,
    sql`select extract(epoch from m.sent_at)::float8 as sent_at from messages m ${joins}
        where m.realm_id = ${me.realm_id} and ${isMoving(moving)} and ${readable} order by m.id limit 1`,
  );
  return oldest?.sent_at;
}

export interface MovableCounts {
  readonly total: number;
  readonly allowed: number;
  readonly first_allowed: number | null;
}

/** How many of them the user can read, and how many of those were sent at or after `since`. */
export async function countMovable(db: Db, me: User, moving: MoveSelection, since: Date): Promise<MovableCounts> {
  const { joins, readable } = messageAccess(toViewer(me));
  const isRecent = sql`m.sent_at >= ${since.toISOString()}::timestamptz`;
  const [counts] = await rows<MovableCounts>(
    db,
    sql`select count(*)::int as total, count(*) filter (where ${isRecent})::int as allowed,
          min(m.id) filter (where ${isRecent}) as first_allowed
        from messages m ${joins} where m.realm_id = ${me.realm_id} and ${isMoving(moving)} and ${readable}`,
  );
  if (!counts) throw new Error('unreachable');
  return counts;
}

/** Whether any message of the topic stays behind. */
export async function hasOtherMessages(db: Db, realm_id: number, moving: MoveSelection): Promise<boolean> {
  const found = await rows(
    db,
    sql`select from messages m
        where m.realm_id = ${realm_id} and m.topic_id = ${moving.topic_id} and not (${isMoving(moving)}) limit 1`,
  );
  return found.length > 0;
}

interface Edit {
  readonly realm_id: number;
  readonly message_id: number;
  readonly user_id: number;
  readonly now: Date;
  readonly text: Composed;
  readonly topic_wildcard_user_ids: readonly number[] | null;
  /** The move that the same request makes. */
  readonly move_id: number | undefined;
}

/** Stores a new text of a message, and the earlier one in its history. */
export async function updateContent(db: Db, edit: Edit): Promise<void> {
  const { realm_id, message_id, text, topic_wildcard_user_ids } = edit;
  const at = sql`${edit.now.toISOString()}::timestamptz`;
  const topic_wildcard = topic_wildcard_user_ids && [...topic_wildcard_user_ids];
  await rows(
    db,
    sql`with earlier_version as (
        insert into message_edits (realm_id, message_id, user_id, edited_at, prev_content, prev_rendered_content, move_id)
        select realm_id, id, ${edit.user_id}::bigint, ${at}, content, rendered_content, ${edit.move_id ?? null}::bigint
        from messages where realm_id = ${realm_id} and id = ${message_id}
      )
      update messages set content = ${text.content}, rendered_content = ${text.html}, last_edit_at = ${at},
        is_me_message = ${text.is_me_message}, has_link = ${text.has_link}, has_image = ${text.has_image},
        has_attachment = ${text.has_attachment}, stream_wildcard = ${text.stream_wildcard},
        topic_wildcard_user_ids = ${sql.param(topic_wildcard)}::bigint[]
      where realm_id = ${realm_id} and id = ${message_id}`,
  );
}

const holder = messageHistory(sql`u.id`);
const holders = (realm_id: number, message_id: number, user_ids: readonly number[]): SQL => sql`
  from messages m cross join unnest(${bigints(user_ids)}) as u(id) ${holder.joins}
  where m.realm_id = ${realm_id} and m.id = ${message_id} and ${holder.has_row}`;

/** Those of these users who have the message, whether or not they are still in its conversation. */
export async function listHoldersAmong(
  db: Db,
  realm_id: number,
  message_id: number,
  user_ids: readonly number[],
): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select u.id ${holders(realm_id, message_id, user_ids)} order by u.id`,
  );
  return found.map(({ id }) => id);
}

/** Sets flags of the message for those of these users who have it, and removes the same flags from all others. */
export async function replaceFlags(
  db: Db,
  realm_id: number,
  message_id: number,
  { mentioned, alerted }: { readonly mentioned: readonly number[]; readonly alerted: readonly number[] },
): Promise<void> {
  const concerned = [...new Set([...mentioned, ...alerted])];
  await rows(
    db,
    sql`with flagged as materialized (
        select m.realm_id, u.id as user_id, m.id as message_id,
          u.id = any(${bigints(mentioned)}) as mentioned, u.id = any(${bigints(alerted)}) as has_alert_word
        ${holders(realm_id, message_id, concerned)}
      ),
      cleared as (
        update message_flags set mentioned = false, has_alert_word = false
        where realm_id = ${realm_id} and message_id = ${message_id} and (mentioned or has_alert_word)
          and user_id not in (select user_id from flagged)
      )
      insert into message_flags (realm_id, user_id, message_id, mentioned, has_alert_word)
      select realm_id, user_id, message_id, mentioned, has_alert_word from flagged order by user_id
      on conflict (realm_id, user_id, message_id) do update
        set mentioned = excluded.mentioned, has_alert_word = excluded.has_alert_word`,
  );
}
