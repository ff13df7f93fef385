import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';

/** An expression of the rows of a `select`, in its order, as a JSON array of objects. Select times with `jsonTime`. */
export const jsonRows = (select: SQL): SQL => sql`(select coalesce(json_agg(r), '[]') from (${select}) r)`;

/**
 * A time in milliseconds. As JSON it would be a string in the session's time zone, which JavaScript cannot always
 * parse.
 */
export const jsonTime = (column: SQL): SQL => sql`floor(extract(epoch from ${column}) * 1000)::bigint`;
