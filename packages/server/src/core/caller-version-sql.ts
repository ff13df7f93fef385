import { sql } from '@parley/db/sql';
import type { SQL } from 'drizzle-orm';

/** The version of all organizations and accounts, as a statement reads them; see `CallerLease`. */
export const callerVersion: SQL<string> = sql<string>`coalesce((select version::text from caller_version), '')`;
