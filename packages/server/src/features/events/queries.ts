import { type Db, defineQuery, rows, tables } from '@parley/db';
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Queue } from '../../core/context.ts';
import type { Event } from '../../core/contract.ts';
import type { StateQuery } from '../../core/state-query.ts';
import type { AudienceFacts, LoggedEvent } from './rules.ts';

const { event_queues } = tables;

/** The newest event id of an organization. */
export async function findLastEventId(db: Db, realm_id: number): Promise<number> {
  const [row] = await rows<{ last_event_id: number }>(
    db,
    sql`select last_event_id from realm_clock where realm_id = ${realm_id}`,
  );
  return row?.last_event_id ?? 0;
}

/** The newest event id that a transaction sees which reads one moment. */
export async function findSnapshotEventId(db: Db, realm_id: number): Promise<number> {
  const [row] = await rows<{ last_event_id: number; isolation: string }>(
    db,
    sql`select last_event_id, current_setting('transaction_isolation') as isolation from realm_clock where realm_id = ${realm_id}`,
  );
  if (row?.isolation !== 'repeatable read') throw new Error('What is shared is read in one moment.');
  return row.last_event_id;
}

/**
 * The values of several queries in one statement; null for those that are not wanted. The text is the same whichever are
 * wanted: clients must not decide how many statements stay prepared.
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

/** What the events after one id, up to another, are about: how many there are of each type, and the newest of them. */
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

/** Everything that decides who among `user_ids` gets which of these events, as things stand now. */
export async function loadAudienceFacts(
  db: Db,
  realm_id: number,
  events: readonly LoggedEvent[],
  user_ids: readonly number[],
): Promise<Omit<AudienceFacts, 'reading'>> {
  const inConversations = events.filter((event) => event.audience.conversation);
  const inPublic = events.flatMap((event) => event.audience.public_stream ?? []);
  const people = sql`${sql.param([...user_ids])}::bigint[]`;
  const accounts = await rows<{ id: number; role: number; key_version: number }>(
    db,
    sql`select id, role, key_version from users where realm_id = ${realm_id} and is_active and id = any(${people})`,
  );
  const members = inConversations.length > 0 ? await listMembers(db, realm_id, inConversations, user_ids) : new Map();
  const streams =
    inPublic.length > 0
      ? await rows<{ id: number }>(
          db,
          sql`select id from streams where realm_id = ${realm_id} and not invite_only and archived_at is null
              and id = any(${sql.param(inPublic)}::bigint[])`,
        )
      : [];
  return {
    roles: new Map(accounts.map(({ id, role }) => [id, role])),
    key_versions: new Map(accounts.map(({ id, key_version }) => [id, key_version])),
    members,
    public_streams: new Set(streams.map(({ id }) => id)),
  };
}

async function listMembers(
  db: Db,
  realm_id: number,
  events: readonly LoggedEvent[],
  user_ids: readonly number[],
): Promise<Map<number, Set<number>>> {
  const list = (pick: (event: LoggedEvent) => number | undefined) =>
    sql.param(events.map((event) => pick(event) ?? null));
  const found = await rows<{ event_id: number; user_id: number }>(
    db,
    sql`select e.id as event_id, m.user_id
        from unnest(${list((e) => e.id)}::bigint[], ${list((e) => e.audience.conversation?.id)}::bigint[],
                    ${list((e) => e.audience.conversation?.seq)}::int[]) as e(id, conversation_id, seq)
        join memberships m on m.realm_id = ${realm_id} and m.conversation_id = e.conversation_id
          and m.active and (e.seq is null or m.received @> e.seq) and m.user_id = any(${sql.param([...user_ids])}::bigint[])`,
  );
  const members = new Map<number, Set<number>>();
  for (const { event_id, user_id } of found) {
    const set = members.get(event_id) ?? new Set();
    members.set(event_id, set.add(user_id));
  }
  return members;
}

export interface QueueRow extends Queue {
  readonly acknowledged: number;
  /** Equal to `acknowledged` until the client acknowledges an event; null where it is not known. */
  readonly starts_after: number | null;
  /** The ticket of the poll that asked last. */
  readonly poller: string | null;
}

const selectQueue = defineQuery<
  typeof event_queues.$inferSelect,
  { realm_id: number; user_id: number; id: string; now: string }
>('find_queue', (db) =>
  db
    .select()
    .from(event_queues)
    .where(
      and(
        eq(event_queues.realm_id, sql.placeholder('realm_id')),
        eq(event_queues.id, sql.placeholder('id')),
        eq(event_queues.user_id, sql.placeholder('user_id')),
        sql`${event_queues.expires_at} > ${sql.placeholder('now')}::timestamptz`,
      ),
    ),
);

/** The queue if it is this account's and alive. */
export async function findQueue(
  db: Db,
  realm_id: number,
  user_id: number,
  id: string,
  now: Date,
): Promise<QueueRow | undefined> {
  const [row] = await selectQueue(db, { realm_id, user_id, id, now: now.toISOString() });
  return row as QueueRow | undefined;
}

/** How far the log was looked at for a queue without finding anything that is left to deliver. */
export interface QueueProgress {
  readonly realm_id: number;
  readonly id: string;
  readonly scanned: number;
}

/** Notes it in the rows of these queues. A queue whose row is locked is being asked for or ended, and passed over. */
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

/** Inserts a queue that starts at the newest event. */
export async function insertQueue(
  db: Db,
  queue: Omit<typeof event_queues.$inferInsert, 'acknowledged'>,
): Promise<void> {
  const acknowledged = sql`(select last_event_id from realm_clock where realm_id = ${queue.realm_id})`;
  await db.insert(event_queues).values({ ...queue, acknowledged });
}

/** Has a new queue start after this event; false if it has gone. */
export async function updateQueueStart(db: Db, realm_id: number, id: string, acknowledged: number): Promise<boolean> {
  const updated = await rows(
    db,
    sql`update event_queues set acknowledged = ${acknowledged}::bigint, starts_after = ${acknowledged}::bigint
        where realm_id = ${realm_id} and id = ${id} returning 1`,
  );
  return updated.length > 0;
}

/** The queue that went, if this account had it. */
export async function deleteQueueOf(
  db: Db,
  realm_id: number,
  user_id: number,
  id: string,
): Promise<QueueRow | undefined> {
  const [row] = await db
    .delete(event_queues)
    .where(and(eq(event_queues.realm_id, realm_id), eq(event_queues.id, id), eq(event_queues.user_id, user_id)))
    .returning();
  return row as QueueRow | undefined;
}

/** The queues of these accounts that went. */
export async function deleteQueuesOfUsers(db: Db, realm_id: number, user_ids: readonly number[]): Promise<QueueRow[]> {
  const gone = await db
    .delete(event_queues)
    .where(and(eq(event_queues.realm_id, realm_id), inArray(event_queues.user_id, [...user_ids])))
    .returning();
  return gone as QueueRow[];
}

/** Puts a heartbeat into the log: it needs an id of its own that no real event will have. */
export async function insertHeartbeat(db: Db, realm_id: number, now: Date): Promise<void> {
  await db.execute(
    sql`with clock as (
          update realm_clock set last_event_id = last_event_id + 1 where realm_id = ${realm_id} returning last_event_id
        )
        insert into events (realm_id, id, type, payload, audience, bytes, created_at)
        select ${realm_id}::bigint, last_event_id, 'heartbeat', '{"type":"heartbeat"}', '{}', 50, ${now.toISOString()}::timestamptz from clock`,
  );
}

/** Stores when the server started, and puts the event of it into the log of every organization that has queues: for all of their users. */
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
