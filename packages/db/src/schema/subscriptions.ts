import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, seqs } from './columns.ts';
import { conversations } from './conversations.ts';
import { users } from './users.ts';

/**
 * Present and former members of a conversation. `received` contains the spans of `seq` during which the user was in it,
 * open-ended while they are: it says which messages they received, without a row per message.
 */
export const memberships = pgTable(
  'memberships',
  {
    realm_id: id().notNull(),
    conversation_id: id().notNull(),
    user_id: id().notNull(),
    active: boolean().notNull(),
    received: seqs().notNull(),
    /**
     * The rest are a subscription's personal settings; they outlive leaving the stream. Null in direct conversations.
     */
    color: text(),
    is_muted: boolean().notNull().default(false),
    pin_to_top: boolean().notNull().default(false),
    desktop_notifications: boolean(),
    audible_notifications: boolean(),
    push_notifications: boolean(),
    email_notifications: boolean(),
    wildcard_mentions_notify: boolean(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.conversation_id, t.user_id] }),
    index('memberships_user').on(t.realm_id, t.user_id, t.conversation_id),
    index('memberships_active').on(t.realm_id, t.conversation_id, t.user_id).where(sql`active`),
    foreignKey({
      columns: [t.realm_id, t.conversation_id],
      foreignColumns: [conversations.realm_id, conversations.id],
    }),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
