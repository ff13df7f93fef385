import { foreignKey, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { users } from './users.ts';

/** Muted users. Clients hide their messages; the server delivers them as usual. */
export const muted_users = pgTable(
  'muted_users',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    muted_user_id: id().notNull(),
    muted_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id, t.muted_user_id] }),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({ columns: [t.realm_id, t.muted_user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
