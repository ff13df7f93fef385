import { foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, newId } from './columns.ts';
import { users } from './users.ts';

/**
 * Alert words of users. The index finds those that a message may contain: the message is split into pieces, and a
 * message that contains a word contains the word's first piece.
 */
export const alert_words = pgTable(
  'alert_words',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    /** The key for comparison: two spellings with the same key are the same word. */
    word_key: text().notNull(),
    /** As its owner wrote it. */
    word: text().notNull(),
    first_piece: text().notNull(),
    /** The order in which words were added. */
    id: newId().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id, t.word_key] }),
    index('alert_words_piece').on(t.realm_id, t.first_piece, t.user_id),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
