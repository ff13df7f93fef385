import { commitWithNextStatement, type Db, defineQuery, rows, tables } from '@parley/db';
import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { fitsOneMore } from '../../core/collection-counts-sql.ts';
import type { Queue } from '../../core/context.ts';
import type { Event } from '../../core/contract.ts';
import type { StateQuery } from '../../core/state-query.ts';
import type { QueueOwner } from './claim-sql.ts';

const { event_queues } = tables;

/** The newest event id of an organization. */
export async function findLastEventId(db: Db, realm_id: number): Promise<number> {
  const [row] = await rows<{ last_event_id: number }>(
    db,
    sql`select last_event_id from realm_clock where realm_id = ${realm_id}`,
  );
  return row?.last_event_id ?? 0;
}

/** The newest event id in the snapshot of a repeatable-read transaction. */
export async function findSnapshotEventId(db: Db, realm_id: number): Promise<number> {
  const [row] = await rows<{ last_event_id: number; isolation: string }>(
    db,
    sql`select last_event_id, current_setting('transaction_isolation') as isolation from realm_clock where realm_id = ${realm_id}`,
  );
  if (row?.isolation !== 'repeatable read') throw new Error('Snapshots are read in a repeatable-read transaction.');
  return row.last_event_id;
}

/**
 * The values of several queries in one statement; null for those that are not requested. The SQL text is the same for
 * any subset: otherwise clients would determine how many statements stay prepared.
 */
export async function selectStateQueries(
  db: Db,
  queries: readonly (Pick<StateQuery, 'json'> & { readonly isWanted: boolean })[],
): Promise<unknown[]> {
  const columns = queries.map(
    ({ json, isWanted }, n): SQL => sql`case when ${isWanted}::boolean then ${json} end as ${sql.raw(`value_${n}`)}`,
  );
  const [row] = await rows<Record<string, unknown>>(db, sql`select ${sql.join(columns, sql`, `)}`);
  return Object.values(row ?? {});
}

/** The number of events of each type in a range of ids, and the newest of each. */
export async function listChangesBetween(
  db: Db,
  realm_id: number,
  after: number,
  up_to: number,
): Promise<{ type: string; id: number; count: number }[]> {
  return rows(
    db,
    sql`select type, max(id) as id, count(*)::int as count from events
        where realm_id = ${realm_id} and id > ${after} and id <= ${up_to} group by type`,
  );
}

/** Newest event ids of several organizations. */
export async function listLastEventIds(
  db: Db,
  realm_ids: readonly number[],
): Promise<{ realm_id: number; last_event_id: number }[]> {
  return rows(
    db,
    sql`select realm_id, last_event_id from realm_clock where realm_id = any(${sql.param([...realm_ids])}::bigint[])`,
  );
}

export const listUserIds = (queues: readonly Queue[]): number[] => [...new Set(queues.map(({ user_id }) => user_id))];

export interface QueueRow extends Queue {
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

/** Stores the progress in the rows of these queues. A locked row is skipped: its queue is being polled or ended. */
export async function updateQueuesScanned(db: Db, queues: readonly QueueProgress[]): Promise<void> {
  await rows(
    db,
    sql`with ahead as (
          select q.realm_id, q.id, n.scanned
          from jsonb_to_recordset(${JSON.stringify(queues)}::jsonb) as n(realm_id bigint, id text, scanned bigint)
          join event_queues q on q.realm_id = n.realm_id and q.id = n.id and q.scanned < n.scanned
          for update of q skip locked
        )
        update event_queues q set scanned = ahead.scanned from ahead where q.realm_id = ahead.realm_id and q.id = ahead.id`,
  );
}

/** Locks a token until the commit. Returns false if it was revoked. */
export async function lockTokenForShare(db: Db, realm_id: number, id: number): Promise<boolean> {
  const found = await rows(db, sql`select 1 from tokens where realm_id = ${realm_id} and id = ${id} for key share`);
  return found.length > 0;
}

/**
 * Inserts a queue that starts at the newest event, and commits. Returns false if the account has the maximum number of
 * queues. The account must be locked.
 */
export async function insertQueue(
  db: Db,
  queue: Omit<typeof event_queues.$inferSelect, 'acknowledged' | 'starts_after' | 'scanned' | 'poller'>,
  limit: number,
): Promise<boolean> {
  const { realm_id, user_id, seen_at } = queue;
  commitWithNextStatement(db);
  const inserted = await rows(
    db,
    sql`insert into event_queues (realm_id, id, user_id, token_id, event_types, narrow, all_public_streams, apply_markdown, client_gravatar,
          slim_presence, acknowledged, lifespan_secs, expires_at, seen_at)
        select c.realm_id, ${queue.id}, ${user_id}::bigint, ${queue.token_id}::bigint, ${sql.param(queue.event_types)}::text[], ${JSON.stringify(queue.narrow)}::jsonb,
          ${queue.all_public_streams}::boolean, ${queue.apply_markdown}::boolean, ${queue.client_gravatar}::boolean,
          ${queue.slim_presence}::boolean, c.last_event_id, ${queue.lifespan_secs}::int, ${queue.expires_at.toISOString()}::timestamptz,
          ${seen_at.toISOString()}::timestamptz
        from realm_clock c
        where c.realm_id = ${realm_id} and ${fitsOneMore('event_queues', { realm_id, user_id, message_id: 0, now: seen_at }, limit)}
        returning 1`,
  );
  return inserted.length > 0;
}

/**
 * Starts a new queue after the newest event in the snapshot of a repeatable-read transaction. Returns that event's id;
 * undefined if the queue is gone.
 */
export async function startQueueAtSnapshot(db: Db, realm_id: number, id: string): Promise<number | undefined> {
  const row = await startQueue(db, realm_id, id);
  if (row && row.isolation !== 'repeatable read')
    throw new Error('Snapshots are read in a repeatable-read transaction.');
  return row?.last_event_id;
}

/** Starts a new queue after the newest event. Returns that event's id; undefined if the queue is gone. */
export async function startQueueNow(db: Db, realm_id: number, id: string): Promise<number | undefined> {
  return (await startQueue(db, realm_id, id))?.last_event_id;
}

async function startQueue(db: Db, realm_id: number, id: string) {
  const [row] = await rows<{ last_event_id: number; isolation: string }>(
    db,
    sql`update event_queues q set acknowledged = c.last_event_id, starts_after = c.last_event_id from realm_clock c
        where q.realm_id = ${realm_id} and q.id = ${id} and c.realm_id = q.realm_id
        returning c.last_event_id, current_setting('transaction_isolation') as isolation`,
  );
  return row;
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
  const gone = await db
    .delete(event_queues)
    .where(and(eq(event_queues.realm_id, realm_id), inArray(event_queues.user_id, [...user_ids])))
    .returning();
  return gone as QueueRow[];
}

/** The deleted queues of these tokens. */
export async function deleteQueuesOfTokens(
  db: Db,
  realm_id: number,
  token_ids: readonly number[],
): Promise<QueueRow[]> {
  if (token_ids.length === 0) return [];
  const gone = await db
    .delete(event_queues)
    .where(and(eq(event_queues.realm_id, realm_id), inArray(event_queues.token_id, [...token_ids])))
    .returning();
  return gone as QueueRow[];
}

/** Inserts a heartbeat into the log: it needs an id that no other event has. */
export async function insertHeartbeat(db: Db, realm_id: number, now: Date): Promise<void> {
  await db.execute(
    sql`with clock as (
          update realm_clock set last_event_id = last_event_id + 1 where realm_id = ${realm_id} returning last_event_id
        )
        insert into events (realm_id, id, type, payload, audience, bytes, created_at)
        select ${realm_id}::bigint, last_event_id, 'heartbeat', '{"type":"heartbeat"}', '{}', 50, ${now.toISOString()}::timestamptz from clock`,
  );
}

/**
 * Stores when the server started, and inserts that event into the log of every organization that has queues, for all of
 * their users.
 */
export async function insertRestart(db: Db, event: Event, now: Date): Promise<number[]> {
  const payload = JSON.stringify(event);
  const told = await rows<{ realm_id: number }>(
    db,
    sql`with awaited as (select distinct realm_id from event_queues),
        started as (
          insert into server_start (started_at) values (${now.toISOString()}::timestamptz)
          on conflict ("only") do update set started_at = excluded.started_at
        ),
        clock as (
          update realm_clock c set last_event_id = c.last_event_id + 1 from awaited where c.realm_id = awaited.realm_id
          returning c.realm_id, c.last_event_id
        )
        insert into events (realm_id, id, type, payload, audience, bytes, created_at)
        select realm_id, last_event_id, ${event.type}, ${payload}::jsonb, '{"everyone": true}', ${payload.length}::int, ${now.toISOString()}::timestamptz
        from clock returning realm_id`,
  );
  return told.map(({ realm_id }) => realm_id);
}
