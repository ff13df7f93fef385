import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { realms } from './realms.ts';

/** Sign-ins in progress at a provider of single sign-on. A row is deleted at the callback, so that it works once. */
export const sign_ins = pgTable(
  'sign_ins',
  {
    realm_id: id().notNull(),
    /** A hash of the `state`, which only the provider and the browser have. */
    state_hash: text().notNull(),
    /** A hash of the token in the browser's cookie. */
    browser_hash: text().notNull(),
    /** `oidc:ID` or `saml:ID`. */
    provider: text().notNull(),
    /** What the callback is verified with, encrypted. */
    remembered: text().notNull(),
    expires_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.state_hash] }),
    foreignKey({ columns: [t.realm_id], foreignColumns: [realms.id] }),
  ],
);
