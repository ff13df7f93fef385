// SQL with which a poll, a stream or an acknowledgement updates its queue.
import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { Queue } from '../../core/polls.ts';

/** The previous poll of a queue: its ticket and its time. */
export interface SeenBefore {
  readonly poller: string | null;
  /** Milliseconds. */
  readonly seen_at: number;
  /** All events up to here were delivered or skipped. */
  readonly scanned: number;
}

/** A queue that was claimed, its previous poll, and the newest event of its organization. */
export type QueueClaim = Omit<Queue, 'key_version' | 'token'> &
  SeenBefore & { readonly newest: number; readonly lifespan_secs: number };

/** A queue and its credentials. */
export interface QueueOwner {
  readonly realm_id: number;
  readonly user_id: number;
  /** The token of the request; null: the API key of the account. */
  readonly token_id: number | null;
  readonly id: string;
}

interface Claim {
  /** All events up to here were received. */
  readonly acknowledged: number;
  /** All events after that, up to here, were read and are not for the queue. */
  readonly scanned: number;
  readonly ticket: string;
  readonly now: Date;
  readonly waitSecs: number;
}

/** The queue in its previous state, locked, and the newest event of its organization. */
const lockQueue = ({ realm_id, user_id, token_id, id }: QueueOwner, now: Date) => sql`
  select q.realm_id, q.id, q.user_id, q.event_types, q.narrow, q.all_public_streams, q.apply_markdown, q.client_gravatar,
    q.slim_presence, q.acknowledged, q.scanned, q.poller, (extract(epoch from q.seen_at) * 1000)::float8 as seen_at,
    c.last_event_id as newest
  from event_queues q join realm_clock c on c.realm_id = q.realm_id
  where q.realm_id = ${realm_id} and q.id = ${id} and q.user_id = ${user_id} and q.token_id is not distinct from ${token_id}::bigint
    and q.expires_at > ${now.toISOString()}::timestamptz
  for update of q`;

/**
 * Claims a queue for a poll or a stream. Returns nothing if the account has no such queue, or if the client names
 * events that do not exist or that precede those it acknowledged.
 */
export async function claimQueue(
  db: Db,
  owner: QueueOwner,
  { acknowledged, scanned, ticket, now, waitSecs }: Claim,
): Promise<QueueClaim | undefined> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const [queue] = await rows<QueueClaim>(
    db,
    sql`with before as (${lockQueue(owner, now)})
        update event_queues q set acknowledged = ${acknowledged}::bigint, scanned = greatest(q.scanned, ${scanned}::bigint),
          poller = ${ticket}, seen_at = ${at}, expires_at = ${at} + make_interval(secs => q.lifespan_secs + ${waitSecs}::int)
        from before b
        where q.realm_id = b.realm_id and q.id = b.id
          and ${acknowledged}::bigint between b.acknowledged and greatest(b.newest, b.acknowledged)
        returning b.realm_id, b.id, b.user_id, b.event_types, b.narrow, b.all_public_streams, b.apply_markdown, b.client_gravatar,
          b.slim_presence, b.poller, b.seen_at, b.newest, q.lifespan_secs, greatest(q.acknowledged, q.scanned) as scanned`,
  );
  return queue;
}

/** Acknowledges events of a queue; its poll or stream goes on. Returns false if the queue is gone. */
export async function updateQueueAcknowledged(
  db: Db,
  { realm_id, user_id, token_id, id }: QueueOwner,
  acknowledged: number,
): Promise<boolean> {
  const updated = await rows(
    db,
    sql`update event_queues set acknowledged = greatest(acknowledged, ${acknowledged}::bigint)
        where realm_id = ${realm_id} and id = ${id} and user_id = ${user_id} and token_id is not distinct from ${token_id}::bigint
        returning 1`,
  );
  return updated.length > 0;
}
