import { sql } from 'drizzle-orm';
import { boolean, foreignKey, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { conversations } from './conversations.ts';
import { user_groups } from './user-groups.ts';
import { users } from './users.ts';

export const streams = pgTable(
  'streams',
  {
    realm_id: id().notNull(),
    id: id().notNull(),
    name: text().notNull(),
    name_key: text().notNull(),
    description: text().notNull(),
    rendered_description: text().notNull(),
    invite_only: boolean().notNull(),
    is_web_public: boolean().notNull(),
    history_public_to_subscribers: boolean().notNull(),
    is_default: boolean().notNull(),
    stream_post_policy: integer().notNull(),
    /** Null: the organization's default. -1: forever. */
    message_retention_days: integer(),
    can_remove_subscribers_group: id().notNull(),
    creator_id: id(),
    created_at: instant().notNull(),
    first_message_id: id(),
    archived_at: instant(),
    /** Raised when a user loses access to the stream: the previous email address becomes invalid. */
    email_version: integer().notNull().default(1),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    // An archived stream releases its name.
    uniqueIndex('streams_name').on(t.realm_id, t.name_key).where(sql`archived_at is null`),
    foreignKey({ columns: [t.realm_id, t.id], foreignColumns: [conversations.realm_id, conversations.id] }),
    foreignKey({
      columns: [t.realm_id, t.can_remove_subscribers_group],
      foreignColumns: [user_groups.realm_id, user_groups.id],
    }),
    foreignKey({ columns: [t.realm_id, t.creator_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
