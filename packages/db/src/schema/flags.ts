import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { id, seqs } from './columns.ts';
import { conversations } from './conversations.ts';
import { messages } from './messages.ts';
import { users } from './users.ts';

/**
 * What a person has read of a conversation, in chunks of 16384 message numbers (`chunk = seq / 16384`), so that a row never
 * outgrows a few tens of kilobytes. A message is unread when it is in `received` of the membership and not in
 * `quiet_marks`, or in `reopened` here, and not in `read`.
 */
export const read_marks = pgTable(
  'read_marks',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    conversation_id: id().notNull(),
    chunk: integer().notNull(),
    read: seqs().notNull(),
    /** Messages that they marked as unread: `received` need not hold them, they may be from before they came and in `message_flags`. */
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
 * Messages that start read for everyone, like the note that a topic was resolved; who is to read one has it in `reopened`.
 * In the same chunks as `read_marks`.
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
 * One person's flags on one message. A row appears when a flag is set, or a message that they did not receive is marked as
 * unread, and stays: it keeps the message in their history.
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
