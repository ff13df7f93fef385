import { sql } from 'drizzle-orm';
import { type Db, rows } from './connect.ts';

/** Facts that the database reports about itself. */
export async function databaseFacts(db: Db): Promise<{ version: string; major: number; now: Date }> {
  const [facts] = await rows<{ version: string; now: string }>(
    db,
    sql`select current_setting('server_version_num')::int / 10000 || '.' || current_setting('server_version_num')::int % 10000 as version,
               to_json(clock_timestamp()) #>> '{}' as now`,
  );
  if (!facts) throw new Error('The database returned no facts.');
  const { version, now } = facts;
  return { version, major: Number.parseInt(version, 10), now: new Date(now) };
}
