// Deletes expired queues, and events that no queue needs.
import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';

/** How much of its organization's log one queue can retain. */
export interface BacklogLimits {
  readonly events: number;
  readonly bytes: number;
}

interface EndedQueue {
  readonly realm_id: number;
  readonly id: string;
  /** The ticket of the last poll. */
  readonly poller: string | null;
}

/** All events up to here were delivered to the queue or skipped. */
const scanned = sql`greatest(q.acknowledged, q.scanned)`;

/** Deletes queues without a poll within their lifespan. */
export async function deleteExpiredQueues(db: Db, now: Date): Promise<void> {
  await db.execute(sql`delete from event_queues where expires_at <= ${now.toISOString()}::timestamptz`);
}

/** Deletes the queues that retain more than this, and returns them. It reads the sizes of events only. */
export async function deleteOverfullQueues(db: Db, { events, bytes }: BacklogLimits): Promise<EndedQueue[]> {
  return rows(
    db,
    // Few organizations have so large a log: only for them the amount per queue is computed.
    sql`with sized as (
          select realm_id, id, sum(bytes) over (partition by realm_id order by id desc) as bytes from events
          where realm_id in (select realm_id from events group by realm_id having sum(bytes) > ${bytes}::bigint)
        ),
        full_at as (select realm_id, max(id) as id from sized where bytes > ${bytes}::bigint group by realm_id)
        delete from event_queues q using realm_clock c left join full_at f on f.realm_id = c.realm_id
        where q.realm_id = c.realm_id and (c.last_event_id - ${scanned} > ${events}::bigint or f.id > ${scanned})
        returning q.realm_id, q.id, q.poller`,
  );
}
