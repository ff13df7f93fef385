import { customType, foreignKey, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id } from './columns.ts';
import { users } from './users.ts';

const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

/** The images of users who uploaded an avatar. */
export const avatars = pgTable(
  'avatars',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    /** Its unguessable URL part; also in `users`, for lists of users. */
    key: text().notNull(),
    /** PNG, 100 by 100 pixels. */
    image: bytes().notNull(),
    /** PNG, 500 by 500 pixels. */
    medium: bytes().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id] }),
    uniqueIndex('avatars_key').on(t.realm_id, t.key),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
