import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { conversations } from './conversations.ts';
import { users } from './users.ts';

/** A topic is a row, so a rename updates one row however many messages it has. */
export const topics = pgTable(
  'topics',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    conversation_id: id().notNull(),
    name: text().notNull(),
    name_key: text().notNull(),
    /**
     * The newest message that a rename of the topic applied to; null if it was never renamed. A trigger of `topic_moves`
     * writes it, so that a page of messages only looks for renames where there are some.
     */
    renamed_up_to: id(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('topics_name').on(t.realm_id, t.conversation_id, t.name_key),
    index('topics_name_key').on(t.realm_id, t.name_key),
    index('topics_search').using('gin', sql`to_tsvector('english', name)`),
    foreignKey({
      columns: [t.realm_id, t.conversation_id],
      foreignColumns: [conversations.realm_id, conversations.id],
    }),
  ],
);

/** A user's policy for a topic: muted (1), unmuted (2) or followed (3). No row means none. */
export const user_topics = pgTable(
  'user_topics',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    topic_id: id().notNull(),
    visibility_policy: integer().notNull(),
    last_updated: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id, t.topic_id] }),
    index('user_topics_topic').on(t.realm_id, t.topic_id),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({ columns: [t.realm_id, t.topic_id], foreignColumns: [topics.realm_id, topics.id] }).onDelete('cascade'),
  ],
);

/**
 * Moves of messages. A topic that was renamed as a whole has one row here, and its messages are not changed. Messages
 * that were moved one by one reference the row in their `moves`.
 */
export const topic_moves = pgTable(
  'topic_moves',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    user_id: id().notNull(),
    moved_at: instant().notNull(),
    from_stream_id: id().notNull(),
    to_stream_id: id().notNull(),
    /** Rows of `topics`, which may have been deleted since. */
    from_topic_id: id().notNull(),
    to_topic_id: id().notNull(),
    from_topic: text().notNull(),
    to_topic: text().notNull(),
    /** The newest message that a rename of the whole topic applied to; null when messages were moved one by one. */
    up_to: id(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    index('topic_moves_renamings').on(t.realm_id, t.from_topic_id, t.id).where(sql`up_to is not null`),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
