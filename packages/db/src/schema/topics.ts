import { foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { conversations } from './conversations.ts';
import { users } from './users.ts';

/** A topic is a row, so renaming one is an update of one row however many messages it has. */
export const topics = pgTable(
  'topics',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    conversation_id: id().notNull(),
    name: text().notNull(),
    name_key: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('topics_name').on(t.realm_id, t.conversation_id, t.name_key),
    foreignKey({
      columns: [t.realm_id, t.conversation_id],
      foreignColumns: [conversations.realm_id, conversations.id],
    }),
  ],
);

/** What a person does with a topic: mute (1), unmute (2) or follow (3). No row means none of them. */
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
