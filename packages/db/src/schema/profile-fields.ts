import { boolean, foreignKey, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, newId } from './columns.ts';
import { realms } from './realms.ts';
import { users } from './users.ts';

/** What people of an organization can say about themselves, in the order in which it is shown. */
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
    /** JSON, as clients get it: the options of a list, the place of an account elsewhere. Empty for other types. */
    field_data: text().notNull(),
    /** Ascending; gaps are fine. */
    position: integer().notNull(),
    /** Whether clients show it in the short version of a profile as well. */
    display_in_profile_summary: boolean().notNull().default(false),
  },
  (t) => [primaryKey({ columns: [t.realm_id, t.id] }), uniqueIndex('profile_fields_name').on(t.realm_id, t.name)],
);

/** What people say in these fields. Who says nothing in one has no row. */
export const profile_values = pgTable(
  'profile_values',
  {
    realm_id: id().notNull(),
    field_id: id().notNull(),
    user_id: id().notNull(),
    value: text().notNull(),
    /** HTML, where the field takes Markdown. */
    rendered_value: text(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id, t.field_id] }),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({ columns: [t.realm_id, t.field_id], foreignColumns: [profile_fields.realm_id, profile_fields.id] }),
    uniqueIndex('profile_values_of_field').on(t.realm_id, t.field_id, t.user_id),
  ],
);
