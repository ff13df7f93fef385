import type { Db } from '@parley/db';
import { sql } from '@parley/db/sql';

/** Nothing up to here is left to deliver to the queue. */
const scanned = sql`greatest(q.acknowledged, q.scanned)`;

/** Deletes the events that no queue needs. */
export async function deleteUnneededEvents(db: Db): Promise<void> {
  // A queue registered meanwhile starts at the counter as it is then, which is past everything deleted here.
  await db.execute(
    sql`delete from events e using (
          select c.realm_id, coalesce(min(${scanned}), c.last_event_id) as needed
          from realm_clock c left join event_queues q on q.realm_id = c.realm_id group by c.realm_id, c.last_event_id
        ) as floor
        where e.realm_id = floor.realm_id and e.id <= floor.needed`,
  );
}
