import { pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, newId } from './columns.ts';
import { realms } from './realms.ts';

/** External programs that code blocks of a language can be opened in. */
export const playgrounds = pgTable(
  'playgrounds',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    name: text().notNull(),
    pygments_language: text().notNull(),
    url_template: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('playgrounds_name').on(t.realm_id, t.pygments_language, t.name),
  ],
);
