// Appends events to the log: the last statement of a transaction.
import { commitWithNextStatement, type Db, rows, sendWithNextStatement } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';
import type { Ctx } from '../context.ts';
import type { Event } from '../contract.ts';
import { sortEventIds } from '../sort-ids.ts';
import { toArrayLiteral, toLongArrayLiteral } from './array-literal.ts';
import type { Audience } from './audience.ts';
import type { EventDeliveryMetadata } from './delivery-metadata.ts';

/** An event of a transaction that has not written it yet. */
export interface EmittedEvent {
  readonly event: Event;
  readonly audience: Audience;
  readonly metadata: EventDeliveryMetadata | undefined;
}

/** The lists of an event. */
export interface EventLists {
  readonly message_ids: readonly number[];
  /** Empty if they are not needed. */
  readonly seqs: readonly number[];
}

/**
 * Inserts the beginnings of the lists of some events, before the transaction locks anything that others wait for: writing long
 * lists is most of the cost of an event. Returns the ids of these rows, for `ahead` of the events' metadata. Call it once in a
 * transaction; readers of the log do not see the rows before the events have their ids.
 */
export async function prewriteEventLists(
  { db, realm, now }: Pick<Ctx, 'db' | 'realm' | 'now'>,
  lists: EventLists,
  events: number,
): Promise<number[]> {
  const message_ids = await toLongArrayLiteral(lists.message_ids);
  const seqs = await toLongArrayLiteral(lists.seqs);
  const found = await rows<{ id: number }>(
    db,
    sql`insert into events (realm_id, id, type, payload, audience, message_ids, seqs, bytes, created_at)
        select ${realm.id}::bigint, -(pg_current_xact_id()::text::bigint * 100 + n), '', '{}', '{}',
          ${message_ids}::bigint[], ${seqs}::int[], ${message_ids.length + seqs.length}::int, ${now.toISOString()}::timestamptz
        from generate_series(1, ${events}::int) n returning id`,
  );
  return found.map(({ id }) => id);
}

/** An event as a row of the log, but for its id. */
function rowOf({ event, audience, metadata }: EmittedEvent) {
  const { message_ids, ...payload } = sortEventIds(event) as Event & Partial<EventLists>;
  const { seqs, ahead, writes: _, ...others } = metadata ?? {};
  const { of, ...facts } = seqs ?? {};
  return {
    type: event.type,
    topic_id: metadata?.topic?.id,
    left_id: seqs?.are_gone ? seqs.conversation_id : undefined,
    ahead,
    message_ids: message_ids && toArrayLiteral(message_ids),
    seqs: of && toArrayLiteral(of),
    payload,
    audience: metadata ? { ...audience, asides: { ...others, ...(seqs && { seqs: facts }) } } : audience,
  };
}

const listWrites = (emitted: readonly EmittedEvent[]): SQL[] =>
  emitted.flatMap(({ metadata }) => metadata?.writes ?? []);

/** The writes as parts of a statement, by name, in their order. */
const nameWrites = (writes: readonly SQL[]): SQL[] =>
  writes.map((write, n) => sql`${sql.raw(`write_${n}`)} as (${write})`);

/** A condition that has the writes done before anything is locked that other transactions wait for. */
const afterWrites = (writes: readonly SQL[]): SQL =>
  sql.join(writes.map((_, n) => sql` and (select count(*) from ${sql.raw(`write_${n}`)}) >= 0`));

/** Runs the writes of a transaction whose events are not kept, because its organization did not exist before. */
export async function runWrites(tx: Db, emitted: readonly EmittedEvent[]): Promise<void> {
  const writes = listWrites(emitted);
  if (writes.length === 0) return;
  commitWithNextStatement(tx);
  await rows(tx, sql`with ${sql.join(nameWrites(writes), sql`, `)} select 1`);
}

/**
 * Runs the writes of events before the events are inserted: together with the next statement of the transaction, which sees
 * them. Returns the events without them.
 */
export async function runWritesFirst(tx: Db, emitted: readonly EmittedEvent[]): Promise<EmittedEvent[]> {
  for (const write of listWrites(emitted)) await sendWithNextStatement(tx, () => rows(tx, write));
  return emitted.map(({ event, audience, metadata }) => ({
    event,
    audience,
    metadata: metadata && { ...metadata, writes: [] },
  }));
}

/** Gives the rows that were written ahead their ids, and all that they lack. A list that does not grow is not touched. */
const updatePrewritten = (realm_id: number) => sql`, finished as (
  update events w set id = log.id, type = log.type, topic_id = log.topic_id, left_id = log.left_id, payload = log.payload,
    audience = log.audience, bytes = w.bytes + log.bytes, created_at = log.created_at,
    message_ids = case when log.message_ids = '{}' then w.message_ids else w.message_ids || log.message_ids end,
    seqs = case when coalesce(log.seqs, '{}') = '{}' then w.seqs else w.seqs || log.seqs end
  from log where w.realm_id = ${realm_id} and w.id = log.ahead
)`;

/**
 * Takes the organization's next event ids and inserts the events and their writes. The counter's row stays locked until the commit, so
 * ids appear to every reader in the order of commits; a sequence would let a reader move past an id that is not there yet. The
 * statement commits, so the row is locked for no longer than it runs.
 */
export async function insertEvents(
  tx: Db,
  realm_id: number,
  emitted: readonly EmittedEvent[],
  now: Date,
): Promise<void> {
  const some = emitted.map(rowOf);
  const texts = some.map((row) => JSON.stringify(row));
  const finished = some.some(({ ahead }) => ahead !== undefined) ? updatePrewritten(realm_id) : sql``;
  const writes = listWrites(emitted);
  commitWithNextStatement(tx);
  await rows(
    tx,
    sql`with ${sql.join(nameWrites(writes).map((write) => sql`${write}, `))}clock as (
      update realm_clock set last_event_id = last_event_id + ${some.length}::bigint
      where realm_id = ${realm_id}${afterWrites(writes)} returning last_event_id
    ),
    log as (
      select clock.last_event_id - ${some.length}::bigint + e.n as id, e.event->>'type' as type, (e.event->>'topic_id')::bigint as topic_id,
        (e.event->>'left_id')::bigint as left_id, (e.event->>'ahead')::bigint as ahead, e.event->'payload' as payload,
        e.event->'audience' as audience, (e.event->>'message_ids')::bigint[] as message_ids, (e.event->>'seqs')::int[] as seqs,
        e.bytes, ${now.toISOString()}::timestamptz as created_at
      from clock, rows from (
        jsonb_array_elements(${`[${texts.join(',')}]`}::jsonb), unnest(${sql.param(texts.map((text) => Buffer.byteLength(text)))}::int[])
      ) with ordinality as e(event, bytes, n)
    )${finished}
    insert into events (realm_id, id, type, topic_id, left_id, payload, audience, message_ids, seqs, bytes, created_at)
    select ${realm_id}::bigint, id, type, topic_id, left_id, payload, audience, message_ids, seqs, bytes, created_at from log where ahead is null`,
  );
}
