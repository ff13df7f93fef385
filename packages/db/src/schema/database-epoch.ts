import { boolean, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** One row: the epoch, since when the database has not been restored as far as the server can detect. */
export const database_epoch = pgTable('database_epoch', {
  only: boolean().primaryKey().default(true),
  /** Random. A change informs each process that the past of the database has changed. */
  epoch: text().notNull(),
  /** The facts that distinguish the database from its copies. */
  identity: jsonb().$type<Record<string, string>>().notNull(),
  /** The transaction that wrote this row: its `xmin`, unless the row was restored from a dump. */
  written_by: text().notNull(),
  raised_at: instant().notNull(),
  /** Null for the first epoch. */
  reason: text(),
});
