import { foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { users } from './users.ts';

/** Requests with an `Idempotency-Key`, so that clients can repeat them without a second effect. */
export const idempotency_keys = pgTable(
  'idempotency_keys',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    key: text().notNull(),
    /** A keyed digest of the operation and the parameters. */
    fingerprint: text().notNull(),
    begun_at: instant().notNull(),
    /**
     * The response, encrypted with the server's secret. Null while the request is in progress, and after its process
     * died.
     */
    answer: text(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id, t.key] }),
    index('idempotency_keys_begun').on(t.begun_at),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
