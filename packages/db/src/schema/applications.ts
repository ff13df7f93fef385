import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { realms } from './realms.ts';
import { users } from './users.ts';

/** Applications of third parties that administrators registered. */
export const applications = pgTable(
  'applications',
  {
    realm_id: id().notNull(),
    id: newId().notNull(),
    name: text().notNull(),
    redirect_uris: text().array().notNull(),
    /** The scopes that the application can request from users. */
    scopes: text().array().$type<('read' | 'write' | 'admin')[]>().notNull(),
    /** SHA-256 of the secret; null: the application is not confidential. */
    secret_hash: text(),
    creator_id: id().notNull(),
    created_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    foreignKey({ columns: [t.realm_id], foreignColumns: [realms.id] }),
    foreignKey({ columns: [t.realm_id, t.creator_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
