import { pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/**
 * The server secrets from which values in this database are derived: one, and during its replacement also the previous
 * one.
 */
export const known_secrets = pgTable('known_secrets', {
  /** A slow, salted hash that distinguishes a wrong secret from the right one. */
  fingerprint: text().primaryKey(),
  known_since: instant().notNull(),
  /** When a value made with it was last used after another secret had replaced it. */
  used_at: instant(),
});
