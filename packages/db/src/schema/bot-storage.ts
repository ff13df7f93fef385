import { foreignKey, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id } from './columns.ts';
import { users } from './users.ts';

/** Values that bots store on the server between two runs of their programs, by key. */
export const bot_storage = pgTable(
  'bot_storage',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    key: text().notNull(),
    value: text().notNull(),
    /** The size of the key and the value in a response, where both are JSON strings. */
    bytes: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id, t.key] }),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
