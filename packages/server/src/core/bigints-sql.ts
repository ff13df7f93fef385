import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';

/** Ids as a parameter of the type `bigint[]`. */
export const bigints = (ids: readonly number[]): SQL => sql`${sql.param([...ids])}::bigint[]`;
