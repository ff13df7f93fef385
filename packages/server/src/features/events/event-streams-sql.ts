// Which event streams stay open.
import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';

/** The claim of a stream: the queue is still its own, and the account can still use the credentials that opened it. */
export interface StreamLease {
  readonly realm_id: number;
  /** The queue's id. */
  readonly id: string;
  readonly ticket: string;
  readonly key_version: number;
  /** The token that opened it; null if none did. */
  readonly token_id: number | null;
}

export interface StreamRenewal {
  readonly id: string;
  /** The client has acknowledged everything up to here. */
  readonly acknowledged: number;
}

/**
 * Keeps the queues of streams alive for their lifespan and `waitSecs` more. Returns those that still belong to their
 * streams. A queue whose row is locked is renewed the next time.
 */
export async function renewStreams(
  db: Db,
  leases: readonly StreamLease[],
  { now, waitSecs }: { now: Date; waitSecs: number },
): Promise<StreamRenewal[]> {
  return rows(
    db,
    sql`with alive as (
          select q.realm_id, q.id, q.acknowledged
          from jsonb_to_recordset(${JSON.stringify(leases)}::jsonb) as n(realm_id bigint, id text, ticket text, key_version int, token_id bigint)
          join event_queues q on q.realm_id = n.realm_id and q.id = n.id and q.poller = n.ticket
          join users u on u.realm_id = q.realm_id and u.id = q.user_id and u.is_active and u.key_version = n.key_version
          join realms r on r.id = q.realm_id and r.deactivated_at is null
          left join tokens t on t.realm_id = q.realm_id and t.id = n.token_id
          where n.token_id is null or (t.id is not null and (t.expires_at is null or t.expires_at > ${now.toISOString()}::timestamptz))
        ),
        unlocked as (
          select q.realm_id, q.id from event_queues q join alive a on a.realm_id = q.realm_id and a.id = q.id
          for update of q skip locked
        ),
        renewed as (
          update event_queues q
          set expires_at = ${now.toISOString()}::timestamptz + make_interval(secs => q.lifespan_secs + ${waitSecs}::int)
          from unlocked where q.realm_id = unlocked.realm_id and q.id = unlocked.id
        )
        select id, acknowledged from alive`,
  );
}
