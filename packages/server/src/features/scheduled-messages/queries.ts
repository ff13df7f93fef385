import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, isNull, lte, type SQL } from 'drizzle-orm';
import { bigints } from '../../core/bigints-sql.ts';
import { jsonRows, jsonTime } from '../../core/json-rows-sql.ts';

const { scheduled_messages: scheduled } = tables;

export type ScheduledMessageRow = typeof scheduled.$inferSelect;
export type NewScheduled = typeof scheduled.$inferInsert;

/** A scheduled message by its id. Ids are unique on the server; the organization is matched all the same. */
export interface ScheduledMessageKey {
  readonly realm_id: number;
  readonly id: number;
}

const isIt = ({ realm_id, id }: ScheduledMessageKey) => and(eq(scheduled.realm_id, realm_id), eq(scheduled.id, id));
const isWaiting = and(isNull(scheduled.sent_at), isNull(scheduled.failure_message));

export async function insertScheduled(db: Db, row: NewScheduled): Promise<ScheduledMessageRow> {
  const [inserted] = await db.insert(scheduled).values(row).returning();
  if (!inserted) throw new Error('unreachable');
  return inserted;
}

/** An account's unsent messages, by their time, as a JSON array. */
export const jsonScheduled = (realm_id: number, user_id: number): SQL =>
  jsonRows(sql`select id, type, stream_id, to_user_ids, topic, content, rendered_content, failure_message,
        ${jsonTime(sql`deliver_at`)} as deliver_at
      from scheduled_messages m where realm_id = ${realm_id} and user_id = ${user_id} and sent_at is null order by m.deliver_at, id`);

/** Their ids, with their sizes in a response. */
export async function listScheduledSizes(
  db: Db,
  realm_id: number,
  user_id: number,
): Promise<{ id: number; size: number }[]> {
  return rows(
    db,
    sql`select id, bytes as size
        from scheduled_messages where realm_id = ${realm_id} and user_id = ${user_id} and sent_at is null order by deliver_at, id`,
  );
}

/** The unsent messages with these ids, by the time at which they are due. */
export async function listScheduledAmong(
  db: Db,
  realm_id: number,
  ids: readonly number[],
): Promise<ScheduledMessageRow[]> {
  return db
    .select()
    .from(scheduled)
    .where(
      and(eq(scheduled.realm_id, realm_id), isNull(scheduled.sent_at), sql`${scheduled.id} = any(${bigints(ids)})`),
    )
    .orderBy(scheduled.deliver_at, scheduled.id);
}

/** A user's own scheduled message, sent or not, locked: the delivery job skips it until the commit. */
export async function findOwnForUpdate(
  db: Db,
  key: ScheduledMessageKey,
  user_id: number,
): Promise<ScheduledMessageRow | undefined> {
  const [row] = await db
    .select()
    .from(scheduled)
    .where(and(isIt(key), eq(scheduled.user_id, user_id)))
    .for('update');
  return row;
}

export async function updateScheduled(
  db: Db,
  key: ScheduledMessageKey,
  changes: Partial<NewScheduled>,
): Promise<ScheduledMessageRow> {
  const [row] = await db.update(scheduled).set(changes).where(isIt(key)).returning();
  if (!row) throw new Error('unreachable');
  return row;
}

export async function deleteScheduled(db: Db, key: ScheduledMessageKey): Promise<void> {
  await db.delete(scheduled).where(isIt(key));
}

/** The messages that are due first, in all active organizations. */
export async function listDue(db: Db, now: Date, limit: number): Promise<ScheduledMessageKey[]> {
  return rows(
    db,
    sql`select s.realm_id, s.id from scheduled_messages s join realms r on r.id = s.realm_id and r.deactivated_at is null
        where s.sent_at is null and s.failure_message is null and s.attempt_at <= ${now.toISOString()}::timestamptz
        order by s.attempt_at, s.id limit ${limit}`,
  );
}

/**
 * Locks a message that is due, unless another process has locked it. It waits while an earlier one of the same author
 * is due: messages scheduled for one moment are sent in the order in which they were written, whichever processes send
 * them.
 */
export async function claimDue(db: Db, key: ScheduledMessageKey, now: Date): Promise<ScheduledMessageRow | undefined> {
  const isFirst = sql`not exists (
    select from scheduled_messages e
    where e.realm_id = ${scheduled.realm_id} and e.user_id = ${scheduled.user_id} and e.sent_at is null and e.failure_message is null
      and (e.attempt_at, e.id) < (${scheduled.attempt_at}, ${scheduled.id}))`;
  const [row] = await db
    .select()
    .from(scheduled)
    .where(and(isIt(key), isWaiting, lte(scheduled.attempt_at, now), isFirst))
    .for('update', { skipLocked: true });
  return row;
}

/** Sets when a message that is due is retried. */
export async function postpone(db: Db, key: ScheduledMessageKey, now: Date, later: Date): Promise<void> {
  await db
    .update(scheduled)
    .set({ attempt_at: later })
    .where(and(isIt(key), isWaiting, lte(scheduled.attempt_at, now)));
}
