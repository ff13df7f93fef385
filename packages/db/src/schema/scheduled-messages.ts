import { sql } from 'drizzle-orm';
import { bigint, boolean, check, foreignKey, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { streams } from './streams.ts';
import { users } from './users.ts';

/** Scheduled messages. A sent one stays without its text, so that an edit that comes too late gets an error. */
export const scheduled_messages = pgTable(
  'scheduled_messages',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    user_id: id().notNull(),
    type: text({ enum: ['stream', 'direct'] }).notNull(),
    stream_id: id(),
    to_user_ids: bigint({ mode: 'number' }).array(),
    topic: text(),
    content: text().notNull(),
    rendered_content: text().notNull(),
    /** The size of its JSON in a response while it is not sent. */
    bytes: integer().notNull().default(0),
    read_by_sender: boolean().notNull(),
    /** The name of the client that scheduled it; the message is sent under this name. */
    client: text().notNull(),
    deliver_at: instant().notNull(),
    /** When it is tried next: `deliver_at`, or later when the server could not try. */
    attempt_at: instant().notNull(),
    sent_at: instant(),
    /** Why it was not sent. It is not tried again until its author sets another time. */
    failure_message: text(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    index('scheduled_messages_of').on(t.realm_id, t.user_id, t.attempt_at, t.id).where(sql`sent_at is null`),
    // The delivery job looks for due messages of all organizations at once.
    index('scheduled_messages_due').on(t.attempt_at, t.id).where(sql`sent_at is null and failure_message is null`),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({ columns: [t.realm_id, t.stream_id], foreignColumns: [streams.realm_id, streams.id] }),
    check(
      'scheduled_messages_to',
      sql`case type when 'stream' then stream_id is not null and topic is not null and to_user_ids is null
          else stream_id is null and topic is null and to_user_ids is not null end`,
    ),
  ],
);
