import { sql } from 'drizzle-orm';
import { boolean, customType, foreignKey, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { users } from './users.ts';

const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

/** An organization's own emoji. They are deactivated, never deleted: old reactions keep them. */
export const custom_emoji = pgTable(
  'custom_emoji',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    name: text().notNull(),
    author_id: id().notNull(),
    deactivated: boolean().notNull().default(false),
    created_at: instant().notNull(),
    /** The picture as it is served, made from what was uploaded. */
    image: bytes().notNull(),
    image_type: text().notNull(),
    /** The first frame of an animated picture; null when it does not move. */
    still: bytes(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('custom_emoji_name').on(t.realm_id, t.name).where(sql`not deactivated`),
    foreignKey({ columns: [t.realm_id, t.author_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
