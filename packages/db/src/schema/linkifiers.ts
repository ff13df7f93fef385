import { integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, newId } from './columns.ts';
import { realms } from './realms.ts';

/** Patterns whose matches in messages become links, in the order in which they apply. */
export const linkifiers = pgTable(
  'linkifiers',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    pattern: text().notNull(),
    url_template: text().notNull(),
    /** Ascending; gaps are allowed. */
    position: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.realm_id, t.id] }), uniqueIndex('linkifiers_pattern').on(t.realm_id, t.pattern)],
);
