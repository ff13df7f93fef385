import { foreignKey, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, newId } from './columns.ts';
import { realms } from './realms.ts';

/**
 * A conversation: a stream, or the direct messages of a set of users. The lock on its row orders messages,
 * subscriptions and moves.
 */
export const conversations = pgTable(
  'conversations',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    kind: text({ enum: ['stream', 'direct'] }).notNull(),
    /** The newest reserved number: of a message, deleted ones included, or of subscribing and unsubscribing. */
    last_seq: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.realm_id, t.id] })],
);

export const direct_conversations = pgTable(
  'direct_conversations',
  {
    realm_id: id().notNull(),
    id: id().notNull(),
    /** SHA-256 of the sorted member ids: the same users are always the same conversation. */
    member_key: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('direct_conversations_members').on(t.realm_id, t.member_key),
    foreignKey({ columns: [t.realm_id, t.id], foreignColumns: [conversations.realm_id, conversations.id] }),
  ],
);
