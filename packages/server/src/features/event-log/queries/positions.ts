// How far the log is: the ids of its newest events.
import { type Db, rows } from '@parley/db';
import { sql } from '@parley/db/sql';

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
