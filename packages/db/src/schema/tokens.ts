import { sql } from 'drizzle-orm';
import { foreignKey, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { applications } from './applications.ts';
import { id, instant, newId } from './columns.ts';
import { streams } from './streams.ts';
import { users } from './users.ts';

/** Tokens that users created for applications. Only a hash of a token's secret is stored. */
export const tokens = pgTable(
  'tokens',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    user_id: id().notNull(),
    /** The application that got the token with the consent of the user; null: the user created it. */
    application_id: id(),
    name: text().notNull(),
    /** HMAC of the secret, keyed with the secret of the server. */
    hash: text().notNull(),
    scopes: text().array().$type<('read' | 'write' | 'admin')[]>().notNull(),
    /** The only stream that the token can be used for; null: all. */
    stream_id: id(),
    /** The only event types that the token can read; null: all. */
    event_types: text().array(),
    created_at: instant().notNull(),
    /** Null: it does not expire. */
    expires_at: instant(),
    /** Updated at most once a minute. */
    last_used_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('tokens_hash').on(t.realm_id, t.hash),
    index('tokens_user').on(t.realm_id, t.user_id),
    index('tokens_application').on(t.realm_id, t.application_id).where(sql`application_id is not null`),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({ columns: [t.realm_id, t.application_id], foreignColumns: [applications.realm_id, applications.id] }),
    foreignKey({ columns: [t.realm_id, t.stream_id], foreignColumns: [streams.realm_id, streams.id] }),
  ],
);
