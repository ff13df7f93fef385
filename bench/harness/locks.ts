// How long sessions wait for locks of the database.
import type { PendingQuery, Row } from 'postgres';
import type { BenchOrganization } from './organization.ts';
import { connect } from './postgres.ts';
import { pause } from './times.ts';

export interface LongestWait {
  readonly ms: number;
  /** The statement that waited, and the statement of the session that held the lock. */
  readonly waiting: string;
  readonly holding: string;
}

/** Milliseconds between two samples, which is the accuracy of waiting times. */
const STEP = 10;

/** Samples while `work` runs. */
export async function longestLockWait(
  organization: BenchOrganization,
  work: () => Promise<unknown>,
): Promise<LongestWait> {
  const sql = connect(organization.url);
  let longest: LongestWait = { ms: 0, waiting: '', holding: '' };
  const brief = (text: PendingQuery<Row[]>) => sql`left(regexp_replace(coalesce(${text}, ''), '\\s+', ' ', 'g'), 70)`;
  let watching = true;
  const watch = async () => {
    while (watching) {
      const [wait] = await sql<LongestWait[]>`
        with oldest as materialized (
          select l.pid, extract(epoch from clock_timestamp() - l.waitstart)::float8 * 1000 as ms, a.query
          from pg_locks l join pg_stat_activity a on a.pid = l.pid and a.datname = current_database()
          where not l.granted and l.waitstart is not null order by l.waitstart limit 1
        )
        select o.ms, ${brief(sql`o.query`)} as waiting, ${brief(sql`h.query`)} as holding
        from oldest o left join pg_stat_activity h on h.pid = (pg_blocking_pids(o.pid))[1]`;
      if (wait && wait.ms > longest.ms) longest = wait;
      await pause(STEP);
    }
  };
  const watcher = watch();
  try {
    await work();
  } finally {
    watching = false;
    await watcher;
    await sql.end({ timeout: 5 });
  }
  return longest;
}
