import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { users } from './users.ts';

/** When users were last active, as others see it. A user who never was has no row. */
export const user_presence = pgTable(
  'user_presence',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    /** The status at `last_connected_at`. */
    status: text({ enum: ['active', 'idle'] }).notNull(),
    /** Never after `last_connected_at`. */
    last_active_at: instant(),
    last_connected_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id] }),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
