import { pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** The server secrets that things in this database are derived from: one, and while it is being replaced the one before it. */
export const known_secrets = pgTable('known_secrets', {
  /** A slow, salted hash: it tells a wrong secret from the right one. */
  fingerprint: text().primaryKey(),
  known_since: instant().notNull(),
  /** When something made with it was last used after another secret had taken its place. */
  used_at: instant(),
});
