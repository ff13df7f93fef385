import { commitWithNextStatement, type Db, defineQuery, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import { isGuest } from '../../access/roles-sql.ts';
import { fitsOneMore } from '../../core/collection-counts-sql.ts';
import type { User } from '../../core/context.ts';
import type { Queue } from '../../core/polls.ts';
import { userColumns } from '../users/index.ts';
import type { QueueOwner } from './claim-sql.ts';

const { event_queues, realm_clock, users } = tables;

export const listUserIds = (queues: readonly Queue[]): number[] => [...new Set(queues.map(({ user_id }) => user_id))];

export interface QueueRow extends Omit<Queue, 'key_version' | 'token'> {
  readonly acknowledged: number;
  /** Equal to `acknowledged` until the client acknowledges an event; null where it is not known. */
  readonly starts_after: number | null;
  /** The ticket of the last poll. */
  readonly poller: string | null;
}

const selectQueue = defineQuery<
  typeof event_queues.$inferSelect,
  { realm_id: number; user_id: number; token_id: number | null; id: string; now: string }
>('find_queue', (db) =>
  db
    .select()
    .from(event_queues)
    .where(
      and(
        eq(event_queues.realm_id, sql.placeholder('realm_id')),
        eq(event_queues.id, sql.placeholder('id')),
        eq(event_queues.user_id, sql.placeholder('user_id')),
        sql`${event_queues.token_id} is not distinct from ${sql.placeholder('token_id')}::bigint`,
        sql`${event_queues.expires_at} > ${sql.placeholder('now')}::timestamptz`,
      ),
    ),
);

/** Returns the queue, if it is this owner's and alive. */
export async function findQueue(db: Db, owner: QueueOwner, now: Date): Promise<QueueRow | undefined> {
  const [row] = await selectQueue(db, { ...owner, now: now.toISOString() });
  return row as QueueRow | undefined;
}

/** How far the log was read for a queue without finding an event that is left to deliver. */
export interface QueueProgress {
  readonly realm_id: number;
  readonly id: string;
  readonly scanned: number;
}

/**
 * Stores the progress in the rows of these queues. A locked row is skipped: its queue is being polled, checked or ended.
 * Returns the ids of those queues.
 */
export async function updateQueuesScanned(db: Db, queues: readonly QueueProgress[]): Promise<string[]> {
  const locked = await rows<{ id: string }>(
    db,
    sql`with behind as materialized (
          select q.realm_id, q.id, n.scanned
          from jsonb_to_recordset(${JSON.stringify(queues)}::jsonb) as n(realm_id bigint, id text, scanned bigint)
          join event_queues q on q.realm_id = n.realm_id and q.id = n.id and q.scanned < n.scanned
        ),
        open as materialized (
          select q.realm_id, q.id, b.scanned from behind b join event_queues q on q.realm_id = b.realm_id and q.id = b.id
          for update of q skip locked
        ),
        updated as (
          update event_queues q set scanned = greatest(q.scanned, o.scanned) from open o where q.realm_id = o.realm_id and q.id = o.id
        )
        select id from behind where id not in (select id from open)`,
  );
  return locked.map(({ id }) => id);
}

/** Whether a queue was inserted; if not, and there was room for it, its owner may not have it or its token was revoked. */
export interface InsertedQueue {
  readonly is_inserted: boolean;
  readonly has_room: boolean;
}

/**
 * Inserts a queue that starts at the newest event, and commits. It is not inserted if the account is deactivated, has the maximum
 * number of queues or is a guest who would follow all public streams, nor if the token was revoked. The account must be locked.
 */
export async function insertQueue(
  db: Db,
  queue: Omit<typeof event_queues.$inferSelect, 'acknowledged' | 'starts_after' | 'scanned' | 'poller'>,
  limit: number,
): Promise<InsertedQueue> {
  const { realm_id, user_id, seen_at } = queue;
  commitWithNextStatement(db);
  const [inserted] = await rows<InsertedQueue>(
    db,
    sql`with room as materialized (
        select ${fitsOneMore('event_queues', { realm_id, user_id, message_id: 0, now: seen_at }, limit)} as has_room
      ),
      inserted as (
        insert into event_queues (realm_id, id, user_id, token_id, event_types, narrow, all_public_streams, apply_markdown, client_gravatar,
          slim_presence, acknowledged, starts_after, lifespan_secs, expires_at, seen_at)
        select c.realm_id, ${queue.id}, ${user_id}::bigint, ${queue.token_id}::bigint, ${sql.param(queue.event_types)}::text[], ${JSON.stringify(queue.narrow)}::jsonb,
          ${queue.all_public_streams}::boolean, ${queue.apply_markdown}::boolean, ${queue.client_gravatar}::boolean,
          ${queue.slim_presence}::boolean, c.last_event_id, c.last_event_id, ${queue.lifespan_secs}::int, ${queue.expires_at.toISOString()}::timestamptz,
          ${seen_at.toISOString()}::timestamptz
        from room, realm_clock c join users u on u.realm_id = c.realm_id and u.id = ${user_id} and u.is_active
        where c.realm_id = ${realm_id} and has_room and not (${queue.all_public_streams}::boolean and ${isGuest(sql`u`)})
          and (${queue.token_id}::bigint is null or exists (select from tokens where realm_id = ${realm_id} and id = ${queue.token_id}::bigint))
        returning id
      )
      select has_room, exists (select from inserted) as is_inserted from room`,
  );
  if (!inserted) throw new Error('The statement returns one row.');
  return inserted;
}

const selectStart = defineQuery<
  { me: User; starts_after: number | null; last_event_id: number; isolation: string },
  { realm_id: number; id: string }
>('find_queue_start', (db) =>
  db
    .select({
      me: userColumns,
      starts_after: event_queues.starts_after,
      last_event_id: realm_clock.last_event_id,
      isolation: sql<string>`current_setting('transaction_isolation')`,
    })
    .from(event_queues)
    .innerJoin(realm_clock, eq(realm_clock.realm_id, event_queues.realm_id))
    .innerJoin(users, and(eq(users.realm_id, event_queues.realm_id), eq(users.id, event_queues.user_id)))
    .where(and(eq(event_queues.realm_id, sql.placeholder('realm_id')), eq(event_queues.id, sql.placeholder('id')))),
);

/** The newest event when a queue starts, and the account that it belongs to, of one moment. */
export interface QueueStart {
  readonly last_event_id: number;
  readonly me: User;
}

/**
 * Starts a new queue after the newest event in the snapshot of a repeatable-read transaction. Undefined if the queue is gone.
 * If there was no event since it was added, nothing is written.
 */
export async function startQueueAtSnapshot(db: Db, realm_id: number, id: string): Promise<QueueStart | undefined> {
  const [start] = await selectStart(db, { realm_id, id });
  if (!start) return undefined;
  if (start.isolation !== 'repeatable read') throw new Error('Snapshots are read in a repeatable-read transaction.');
  const isStarted = start.starts_after === start.last_event_id || (await startQueueNow(db, realm_id, id)) !== undefined;
  return isStarted ? start : undefined;
}

/** Starts a new queue after the newest event. Returns that event's id; undefined if the queue is gone. */
export async function startQueueNow(db: Db, realm_id: number, id: string): Promise<number | undefined> {
  const [row] = await rows<{ last_event_id: number }>(
    db,
    sql`update event_queues q set acknowledged = c.last_event_id, starts_after = c.last_event_id from realm_clock c
        where q.realm_id = ${realm_id} and q.id = ${id} and c.realm_id = q.realm_id
        returning c.last_event_id`,
  );
  return row?.last_event_id;
}

/** The deleted queue, if this owner had it. */
export async function deleteQueueOf(
  db: Db,
  { realm_id, user_id, token_id, id }: QueueOwner,
): Promise<QueueRow | undefined> {
  const [row] = await db
    .delete(event_queues)
    .where(
      and(
        eq(event_queues.realm_id, realm_id),
        eq(event_queues.id, id),
        eq(event_queues.user_id, user_id),
        token_id === null ? isNull(event_queues.token_id) : eq(event_queues.token_id, token_id),
      ),
    )
    .returning();
  return row as QueueRow | undefined;
}

/** The deleted queues of these accounts. */
export async function deleteQueuesOfUsers(db: Db, realm_id: number, user_ids: readonly number[]): Promise<QueueRow[]> {
  const deleted = await db
    .delete(event_queues)
    .where(and(eq(event_queues.realm_id, realm_id), inArray(event_queues.user_id, [...user_ids])))
    .returning();
  return deleted as QueueRow[];
}

/** The last poll of a queue. */
export interface LastPoll {
  readonly id: string;
  readonly poller: string | null;
}

/** Returns the last polls of the account's queues, and removes their tickets. An empty ticket is none that a process has. */
export async function releaseQueuesOfUser(db: Db, realm_id: number, user_id: number): Promise<LastPoll[]> {
  return rows(
    db,
    sql`with polled as (
          select realm_id, id, poller from event_queues
          where realm_id = ${realm_id} and user_id = ${user_id} and poller <> ''
          order by id for update
        )
        update event_queues q set poller = '' from polled p where q.realm_id = p.realm_id and q.id = p.id
        returning p.id, p.poller`,
  );
}

/** The deleted queues of these tokens. */
export async function deleteQueuesOfTokens(
  db: Db,
  realm_id: number,
  token_ids: readonly number[],
): Promise<QueueRow[]> {
  if (token_ids.length === 0) return [];
  const deleted = await db
    .delete(event_queues)
    .where(and(eq(event_queues.realm_id, realm_id), inArray(event_queues.token_id, [...token_ids])))
    .returning();
  return deleted as QueueRow[];
}
