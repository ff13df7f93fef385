import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { realms } from './realms.ts';

/** The networks from which an account has logged in with a password: failures elsewhere do not lock these out. */
export const login_networks = pgTable(
  'login_networks',
  {
    realm_id: id().notNull(),
    username_hash: text().notNull(),
    /** A hash of the username and the network together. */
    network_hash: text().notNull(),
    seen_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.username_hash, t.network_hash] }),
    foreignKey({ columns: [t.realm_id], foreignColumns: [realms.id] }),
  ],
);
