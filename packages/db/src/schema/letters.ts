import { index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { realms } from './realms.ts';

/** Emails that have not been sent to a mail server. They are inserted with the change that they are about. */
export const letters = pgTable(
  'letters',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    /** The whole email, encrypted: readers of the database must not be able to use links in it. */
    sealed: text().notNull(),
    created_at: instant().notNull(),
    due_at: instant().notNull(),
    attempts: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.realm_id, t.id] }), index('letters_due').on(t.due_at)],
);
