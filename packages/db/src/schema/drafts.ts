import { bigint, foreignKey, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { users } from './users.ts';

/** Unsent messages that the server stores for their authors. */
export const drafts = pgTable(
  'drafts',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    user_id: id().notNull(),
    /** Empty while the draft has no recipient. */
    type: text({ enum: ['', 'stream', 'private'] }).notNull(),
    to: bigint({ mode: 'number' }).array().notNull(),
    topic: text().notNull(),
    content: text().notNull(),
    changed_at: instant().notNull(),
    /** The size of its JSON in a response. */
    bytes: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    index('drafts_of').on(t.realm_id, t.user_id, t.changed_at, t.id),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
