import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { realms } from './realms.ts';

/** Letters that have not been handed over to a mail server. They are written with the change that they are about. */
export const letters = pgTable(
  'letters',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    /** The whole letter, sealed: links in it must not be usable by whoever reads the database. */
    sealed: text().notNull(),
    created_at: instant().notNull(),
    due_at: instant().notNull(),
    attempts: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.realm_id, t.id] }), index('letters_due').on(t.due_at)],
);
