// What a poll, a stream or an acknowledgement says of its queue.
import { type Db, rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import type { Queue } from '../../core/polls.ts';

/** How a queue was asked for before: the ticket of that poll, and when. */
export interface SeenBefore {
  readonly poller: string | null;
  /** Milliseconds. */
  readonly seen_at: number;
  /** Nothing up to here is left to deliver. */
  readonly scanned: number;
}

/** A queue, and who can use it. */
export interface QueueOwner {
  readonly realm_id: number;
  readonly user_id: number;
  /** The token that the request came with; null: the API key of the account. */
  readonly token_id: number | null;
  readonly id: string;
}

interface Claim {
  /** Everything up to here was received. */
  readonly acknowledged: number;
  /** Everything after that, up to here, was looked at and is not for the queue. */
  readonly scanned: number;
  readonly ticket: string;
  readonly now: Date;
  readonly waitSecs: number;
}

/** The queue as it was before, locked, and the newest event of its organization. */
const lockQueue = ({ realm_id, user_id, token_id, id }: QueueOwner, now: Date) => sql`
  select q.realm_id, q.id, q.user_id, q.event_types, q.narrow, q.all_public_streams, q.apply_markdown, q.client_gravatar,
    q.slim_presence, q.acknowledged, q.scanned, q.poller, (extract(epoch from q.seen_at) * 1000)::float8 as seen_at,
    c.last_event_id as newest
  from event_queues q join realm_clock c on c.realm_id = q.realm_id
  where q.realm_id = ${realm_id} and q.id = ${id} and q.user_id = ${user_id} and q.token_id is not distinct from ${token_id}::bigint
    and q.expires_at > ${now.toISOString()}::timestamptz
  for update of q`;

/**
 * Takes a queue over for a poll or a stream. Nothing if the account has no such queue, or if the client says that it has events
 * that do not exist, or that are before those that it acknowledged.
 */
export async function claimQueue(
  db: Db,
  owner: QueueOwner,
  { acknowledged, scanned, ticket, now, waitSecs }: Claim,
): Promise<(Queue & SeenBefore) | undefined> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const [queue] = await rows<Queue & SeenBefore>(
    db,
    sql`with before as (${lockQueue(owner, now)})
        update event_queues q set acknowledged = ${acknowledged}::bigint, scanned = greatest(q.scanned, ${scanned}::bigint),
          poller = ${ticket}, seen_at = ${at}, expires_at = ${at} + make_interval(secs => q.lifespan_secs + ${waitSecs}::int)
        from before b
        where q.realm_id = b.realm_id and q.id = b.id
          and ${acknowledged}::bigint between b.acknowledged and greatest(b.newest, b.acknowledged)
        returning b.realm_id, b.id, b.user_id, b.event_types, b.narrow, b.all_public_streams, b.apply_markdown, b.client_gravatar,
          b.slim_presence, b.poller, b.seen_at, greatest(q.acknowledged, q.scanned) as scanned`,
  );
  return queue;
}

/** Acknowledges events for a queue; its poll or stream goes on. False if the queue is gone. */
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
