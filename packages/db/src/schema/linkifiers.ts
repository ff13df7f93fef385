import { integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, newId } from './columns.ts';
import { realms } from './realms.ts';

/** Patterns that become links wherever they are written, in the order in which they are tried. */
export const linkifiers = pgTable(
  'linkifiers',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    pattern: text().notNull(),
    url_template: text().notNull(),
    /** Ascending; gaps are fine. */
    position: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.realm_id, t.id] }), uniqueIndex('linkifiers_pattern').on(t.realm_id, t.pattern)],
);
