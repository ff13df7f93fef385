import { foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { users } from './users.ts';

/** Requests that clients gave a name, so that they can send them again without anything happening twice. */
export const idempotency_keys = pgTable(
  'idempotency_keys',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    key: text().notNull(),
    /** What the request was, as a keyed digest: operation and parameters. */
    fingerprint: text().notNull(),
    begun_at: instant().notNull(),
    /** What it was answered, sealed with the server's secret. Null while it is being carried out, and when the process that did so died. */
    answer: text(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id, t.key] }),
    index('idempotency_keys_begun').on(t.begun_at),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
