import { boolean, foreignKey, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, newId } from './columns.ts';
import { realms } from './realms.ts';
import { users } from './users.ts';

/** Custom profile fields of an organization, in the order in which they are shown. */
export const profile_fields = pgTable(
  'profile_fields',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    name: text().notNull(),
    field_type: integer().notNull(),
    hint: text().notNull(),
    /**
     * JSON, as clients get it: the options of a list, the URL pattern of an external account. Empty for other types.
     */
    field_data: text().notNull(),
    /** Ascending; gaps are allowed. */
    position: integer().notNull(),
    /** Whether clients also show it in the profile summary. */
    display_in_profile_summary: boolean().notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.realm_id, t.id] }), uniqueIndex('profile_fields_name').on(t.realm_id, t.name)],
);

/** The values of users in these fields. Without a value there is no row. */
export const profile_values = pgTable(
  'profile_values',
  {
    realm_id: id().notNull(),
    field_id: id().notNull(),
    user_id: id().notNull(),
    value: text().notNull(),
    /** HTML, where the field contains Markdown. */
    rendered_value: text(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id, t.field_id] }),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({ columns: [t.realm_id, t.field_id], foreignColumns: [profile_fields.realm_id, profile_fields.id] }),
    uniqueIndex('profile_values_of_field').on(t.realm_id, t.field_id, t.user_id),
  ],
);
