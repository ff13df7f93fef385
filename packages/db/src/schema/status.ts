import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id } from './columns.ts';
import { users } from './users.ts';

/** Statuses of users. Without a status there is no row. */
export const user_status = pgTable(
  'user_status',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    status_text: text().notNull().default(''),
    /** Empty without an emoji, as is its code. */
    emoji_name: text().notNull().default(''),
    emoji_code: text().notNull().default(''),
    reaction_type: text({ enum: ['unicode_emoji', 'realm_emoji', 'service_extra_emoji'] })
      .notNull()
      .default('unicode_emoji'),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id] }),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
