import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/**
 * The counts of each request limit, which the processes on one database share. Not per organization: addresses have
 * none.
 */
export const rate_limits = pgTable('rate_limits', {
  key: text().primaryKey(),
  points: integer().notNull(),
  expire: instant(),
});
