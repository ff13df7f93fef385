import { foreignKey, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { users } from './users.ts';

/**
 * Email addresses that users requested and have not confirmed yet. The key does not include the address: a new request
 * replaces the previous one.
 */
export const email_changes = pgTable(
  'email_changes',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    new_email: text().notNull(),
    /** The hash of the token in the email's link; the token itself is not stored. */
    token_hash: text().notNull(),
    expires_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id] }),
    uniqueIndex('email_changes_token').on(t.realm_id, t.token_hash),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
