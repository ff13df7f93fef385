// Reads the log in pages whose size in bytes is known before they are loaded.
import { type Db, rows, withGenericPlan } from '@parley/db';
import { sql } from '@parley/db/sql';
import { bigints } from '../../../core/bigints-sql.ts';
import type { Event } from '../../../core/contract.ts';
import { countWithinWeight, type StoredEvent } from '../rules.ts';

/** The maximum number of events of one page. */
const PAGE = 500;
/** The maximum number of messages of a page, of those that are looked up at delivery. One event can exceed it. */
const PAGE_MESSAGES = 500_000;

interface PageStart {
  readonly realm_id: number;
  /** The page begins after this event. */
  readonly after: number;
  /** Null: every type. */
  readonly types: readonly string[] | null;
  /** The maximum size of the page in bytes. A larger event has a page of its own. */
  readonly room: number;
}

export interface LoggedEventPage {
  readonly events: StoredEvent[];
  /** The log has no other events of these types up to here. */
  readonly scanned: number;
  /** Whether there may be more events after it. */
  readonly more: boolean;
}

/** An event and, separately, the ids that it lists. */
interface EventRow extends StoredEvent {
  readonly topic_id: number | null;
  readonly message_ids: number[] | null;
  readonly seqs: number[] | null;
}

/**
 * The newest event of the organization, the number of events that fit a page by count, and each of those that fit by
 * size.
 */
type PageRow = { readonly newest: number; readonly next: number } & (EventRow | { readonly id: null });

/** The next events of the log. */
export async function listEvents(db: Db, { realm_id, after, types, room }: PageStart): Promise<LoggedEventPage> {
  const ofTypes = types ? sql`and type = any(${sql.param([...types])}::text[])` : sql``;
  const found = await rows<PageRow>(
    db,
    // The counter is read in the same snapshot: every event up to it is visible here or was swept. A large payload is stored apart from its
    // row, and is read only if the event fits.
    sql`select ${withGenericPlan} c.last_event_id as newest, coalesce(e.next, 0)::int as next, e.id, e.bytes, e.payload, e.audience, e.topic_id,
          to_jsonb(e.message_ids) as message_ids, to_jsonb(e.seqs) as seqs
        from realm_clock c
        left join (
          select x.*, row_number() over (order by x.id) as n, sum(x.bytes) over (order by x.id) as total, count(*) over () as next
          from (
            select id, bytes, payload, audience, topic_id, message_ids, seqs from events
            where realm_id = ${realm_id} and id > ${after} ${ofTypes} order by id limit ${PAGE}
          ) x
        ) e on e.n = 1 or e.total <= ${room}::bigint
        where c.realm_id = ${realm_id} order by e.id`,
  );
  const { newest, next } = found[0] ?? { newest: after, next: 0 };
  const fitting = found.flatMap((row) => (row.id === null ? [] : toEvent(row)));
  const weights = await countMessages(db, realm_id, fitting);
  const events = fitting.slice(0, countWithinWeight(weights, PAGE_MESSAGES));
  const more = next === PAGE || events.length < next;
  const last = events.at(-1)?.id ?? after;
  return { events, scanned: more ? last : Math.max(newest, last), more };
}

function toEvent({ id, bytes, payload, audience, topic_id, message_ids, seqs }: EventRow): StoredEvent {
  if (!message_ids) return { id, bytes, payload, audience, topic_id };
  const { asides } = audience;
  return {
    id,
    bytes,
    payload: { ...payload, message_ids } as Event,
    audience: asides?.seqs
      ? { ...audience, asides: { ...asides, seqs: { ...asides.seqs, of: seqs ?? [] } } }
      : audience,
    topic_id,
  };
}

/** The number of messages that are looked up for each of these events. */
async function countMessages(db: Db, realm_id: number, events: readonly StoredEvent[]): Promise<number[]> {
  const topics = events.flatMap(({ topic_id }) => topic_id ?? []);
  const counts = topics.length > 1 ? await countTopicMessages(db, realm_id, topics) : new Map<number, number>();
  return events.map(({ topic_id, audience: { asides } }) =>
    topic_id ? (counts.get(topic_id) ?? 0) : (asides?.numbers?.reduce((sum, { count }) => sum + count, 0) ?? 0),
  );
}

async function countTopicMessages(
  db: Db,
  realm_id: number,
  topic_ids: readonly number[],
): Promise<Map<number, number>> {
  const found = await rows<{ topic_id: number; count: number }>(
    db,
    sql`select topic_id, count(*)::int as count from messages
        where realm_id = ${realm_id} and topic_id = any(${bigints([...new Set(topic_ids)])}) group by topic_id`,
  );
  return new Map(found.map(({ topic_id, count }) => [topic_id, count]));
}
