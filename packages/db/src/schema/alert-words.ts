import { foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, newId } from './columns.ts';
import { users } from './users.ts';

/**
 * Words that people watch for. The index finds those that a message may contain: a message is taken apart into pieces, and
 * whoever contains a word contains its first piece.
 */
export const alert_words = pgTable(
  'alert_words',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    /** What is compared: two spellings with the same key are the same word. */
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
