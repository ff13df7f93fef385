// Events that the server itself writes, apart from any transaction of a request.
import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';
import type { Event } from '../../../core/contract.ts';

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
  const notified = await rows<{ realm_id: number }>(
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
  return notified.map(({ realm_id }) => realm_id);
}
