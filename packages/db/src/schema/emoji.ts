import { sql } from 'drizzle-orm';
import { boolean, customType, foreignKey, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { users } from './users.ts';

const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' });

/** Custom emoji of organizations. They are deactivated, never deleted: old reactions reference them. */
export const custom_emoji = pgTable(
  'custom_emoji',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    name: text().notNull(),
    author_id: id().notNull(),
    deactivated: boolean().notNull().default(false),
    created_at: instant().notNull(),
    /** The image as it is served, converted from the upload. */
    image: bytes().notNull(),
    image_type: text().notNull(),
    /** The first frame of an animated image; null for others. */
    still: bytes(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('custom_emoji_name').on(t.realm_id, t.name).where(sql`not deactivated`),
    foreignKey({ columns: [t.realm_id, t.author_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
