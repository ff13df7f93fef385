import { foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, newId } from './columns.ts';
import { messages } from './messages.ts';
import { topics } from './topics.ts';
import { users } from './users.ts';

// The key does not include emoji_name: after a rename of the emoji, no user can react with it twice.
export const reactions = pgTable(
  'reactions',
  {
    realm_id: id().notNull(),
    /** Ascending: later reactions take the name of the first one with the emoji. */
    id: newId().notNull(),
    message_id: id().notNull(),
    user_id: id().notNull(),
    reaction_type: text({ enum: ['unicode_emoji', 'realm_emoji', 'service_extra_emoji'] }).notNull(),
    emoji_code: text().notNull(),
    emoji_name: text().notNull(),
    /** The topic of the message, null in direct conversations: users who react in a topic participate in it. */
    topic_id: id(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.message_id, t.user_id, t.reaction_type, t.emoji_code] }),
    index('reactions_topic').on(t.realm_id, t.topic_id, t.user_id),
    foreignKey({ columns: [t.realm_id, t.message_id], foreignColumns: [messages.realm_id, messages.id] }).onDelete(
      'cascade',
    ),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({ columns: [t.realm_id, t.topic_id], foreignColumns: [topics.realm_id, topics.id] }),
  ],
);
