import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { id, instant, newId, searchIndex } from './columns.ts';
import { conversations } from './conversations.ts';
import { topics } from './topics.ts';
import { users } from './users.ts';

export const messages = pgTable(
  'messages',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    conversation_id: id().notNull(),
    /** Ascending within the conversation: the sending transaction takes it from `last_seq`. */
    seq: integer().notNull(),
    /** Null in direct conversations. */
    topic_id: id(),
    sender_id: id().notNull(),
    content: text().notNull(),
    rendered_content: text().notNull(),
    client: text().notNull(),
    sent_at: instant().notNull(),
    last_edit_at: instant(),
    is_me_message: boolean().notNull(),
    has_link: boolean().notNull(),
    has_image: boolean().notNull(),
    has_attachment: boolean().notNull(),
    /** A wildcard mention applies to all recipients, so it is stored here instead of in a row for each. */
    stream_wildcard: boolean().notNull(),
    /** The participants of the topic when a topic wildcard mentioned them; null without one. */
    topic_wildcard_user_ids: bigint({ mode: 'number' }).array(),
    /** The `topic_moves` that moved it, oldest first. Renames of its whole topic are not included. */
    moves: bigint({ mode: 'number' }).array().notNull().default([]),
    search: searchIndex().generatedAlwaysAs(sql`to_tsvector('english', content)`),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('messages_seq').on(t.realm_id, t.conversation_id, t.seq),
    // A moved message keeps its id and gets a new seq, so pages of a conversation cannot be read by seq.
    index('messages_conversation').on(t.realm_id, t.conversation_id, t.id),
    index('messages_topic').on(t.realm_id, t.topic_id, t.id),
    // The senders of a topic are found by skipping from sender to sender, however many messages it has.
    index('messages_topic_senders').on(t.realm_id, t.topic_id, t.sender_id),
    index('messages_sender').on(t.realm_id, t.sender_id, t.id),
    index('messages_wildcard').on(t.realm_id, t.id).where(sql`stream_wildcard or topic_wildcard_user_ids is not null`),
    index('messages_link').on(t.realm_id, t.id).where(sql`has_link`),
    index('messages_image').on(t.realm_id, t.id).where(sql`has_image`),
    index('messages_attachment').on(t.realm_id, t.id).where(sql`has_attachment`),
    index('messages_search').using('gin', t.search),
    foreignKey({
      columns: [t.realm_id, t.conversation_id],
      foreignColumns: [conversations.realm_id, conversations.id],
    }),
    foreignKey({ columns: [t.realm_id, t.topic_id], foreignColumns: [topics.realm_id, topics.id] }),
    foreignKey({ columns: [t.realm_id, t.sender_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);

/** Earlier contents of edited messages. */
export const message_edits = pgTable(
  'message_edits',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    message_id: id().notNull(),
    user_id: id().notNull(),
    edited_at: instant().notNull(),
    prev_content: text().notNull(),
    prev_rendered_content: text().notNull(),
    /** The move of its topic by the same request, if there was one: both are one entry of the history. */
    move_id: id(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    index('message_edits_message').on(t.realm_id, t.message_id, t.id),
    foreignKey({ columns: [t.realm_id, t.message_id], foreignColumns: [messages.realm_id, messages.id] }).onDelete(
      'cascade',
    ),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
