import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { id, seqs } from './columns.ts';
import { conversations } from './conversations.ts';
import { messages } from './messages.ts';
import { users } from './users.ts';

/**
 * The messages of a conversation that a user has read, in chunks of 16384 message numbers (`chunk = seq / 16384`), so
 * that a row never exceeds a few tens of kilobytes. A message is unread when it is in `received` of the membership and
 * not in `quiet_marks`, or in `reopened` here, and not in `read`.
 */
export const read_marks = pgTable(
  'read_marks',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    conversation_id: id().notNull(),
    chunk: integer().notNull(),
    read: seqs().notNull(),
    /**
     * Messages that the user marked as unread. They need not be in `received`: they can be from before the user
     * subscribed, and in `message_flags`.
     */
    reopened: seqs().notNull().default(sql`'{}'`),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id, t.conversation_id, t.chunk] }),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({
      columns: [t.realm_id, t.conversation_id],
      foreignColumns: [conversations.realm_id, conversations.id],
    }),
  ],
);

/**
 * Messages that start as read for all users, like the note that a topic was resolved; for users who should read one it
 * is in `reopened`. In the same chunks as `read_marks`.
 */
export const quiet_marks = pgTable(
  'quiet_marks',
  {
    realm_id: id().notNull(),
    conversation_id: id().notNull(),
    chunk: integer().notNull(),
    quiet: seqs().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.conversation_id, t.chunk] }),
    foreignKey({
      columns: [t.realm_id, t.conversation_id],
      foreignColumns: [conversations.realm_id, conversations.id],
    }),
  ],
);

/**
 * One user's flags on one message. A row is created when a flag is set, or when a message that the user did not receive
 * is marked as unread. It stays: it keeps the message in the user's history.
 */
export const message_flags = pgTable(
  'message_flags',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    message_id: id().notNull(),
    starred: boolean().notNull().default(false),
    collapsed: boolean().notNull().default(false),
    mentioned: boolean().notNull().default(false),
    has_alert_word: boolean().notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id, t.message_id] }),
    index('message_flags_message').on(t.realm_id, t.message_id),
    index('message_flags_starred').on(t.realm_id, t.user_id, t.message_id).where(sql`starred`),
    index('message_flags_mentioned').on(t.realm_id, t.user_id, t.message_id).where(sql`mentioned`),
    index('message_flags_alerted').on(t.realm_id, t.user_id, t.message_id).where(sql`has_alert_word`),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({ columns: [t.realm_id, t.message_id], foreignColumns: [messages.realm_id, messages.id] }).onDelete(
      'cascade',
    ),
  ],
);
