import { boolean, pgTable } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/**
 * One row: when a server process last started. Registrations return it as `server_generation`, whichever process
 * responds.
 */
export const server_start = pgTable('server_start', {
  only: boolean().primaryKey().default(true),
  started_at: instant().notNull(),
});
