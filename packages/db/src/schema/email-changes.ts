import { foreignKey, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { users } from './users.ts';

/** Addresses that people want and have not confirmed yet. The key leaves out the address: a new wish replaces the one before. */
export const email_changes = pgTable(
  'email_changes',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    new_email: text().notNull(),
    /** The link in the letter has the token itself, which is nowhere else. */
    token_hash: text().notNull(),
    expires_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id] }),
    uniqueIndex('email_changes_token').on(t.realm_id, t.token_hash),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
