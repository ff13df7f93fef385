import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { id, instant } from './columns.ts';
import { realms } from './realms.ts';

/** People who are away at a provider of single sign-on. Each row goes when its person is back: nothing is proven twice. */
export const sign_ins = pgTable(
  'sign_ins',
  {
    realm_id: id().notNull(),
    /** Of the `state` that goes with the person and is nowhere else. */
    state_hash: text().notNull(),
    /** Of what the browser keeps that they left with. */
    browser_hash: text().notNull(),
    /** `oidc:ID` or `saml:ID`. */
    provider: text().notNull(),
    /** What to check the answer with, sealed. */
    remembered: text().notNull(),
    expires_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.state_hash] }),
    foreignKey({ columns: [t.realm_id], foreignColumns: [realms.id] }),
  ],
);
