import { boolean, foreignKey, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { applications } from './applications.ts';
import { id, instant } from './columns.ts';
import { tokens } from './tokens.ts';
import { users } from './users.ts';

type Scope = 'read' | 'write' | 'admin';

/** Authorization codes that users granted to applications, for a minute and one exchange. */
export const authorization_codes = pgTable(
  'authorization_codes',
  {
    realm_id: id().notNull(),
    /** HMAC of the code, keyed with the secret of the server. */
    hash: text().notNull(),
    application_id: id().notNull(),
    user_id: id().notNull(),
    scopes: text().array().$type<Scope[]>().notNull(),
    redirect_uri: text().notNull(),
    /** The PKCE code challenge: SHA-256 of the code verifier. */
    code_challenge: text().notNull(),
    expires_at: instant().notNull(),
    is_used: boolean().notNull().default(false),
    /** The token that the code was exchanged for; null: none yet. */
    token_id: id(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.hash] }),
    index('authorization_codes_application').on(t.realm_id, t.application_id),
    index('authorization_codes_user').on(t.realm_id, t.user_id),
    index('authorization_codes_token').on(t.realm_id, t.token_id),
    index('authorization_codes_expires_at').on(t.expires_at),
    foreignKey({
      // The default name of drizzle-kit exceeds PostgreSQL's 63 characters.
      name: 'authorization_codes_application_fk',
      columns: [t.realm_id, t.application_id],
      foreignColumns: [applications.realm_id, applications.id],
    }).onDelete('cascade'),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
    foreignKey({ columns: [t.realm_id, t.token_id], foreignColumns: [tokens.realm_id, tokens.id] }).onDelete('cascade'),
  ],
);

/** The refresh token of each token of an application: the newest of its family, all of which have the same prefix. */
export const refresh_tokens = pgTable(
  'refresh_tokens',
  {
    realm_id: id().notNull(),
    token_id: id().notNull(),
    /** HMAC of the common prefix of the family's refresh tokens, keyed with the secret of the server. */
    family_hash: text().notNull(),
    /** HMAC of the newest one. Any other one of the family was used before. */
    hash: text().notNull(),
    /** The scopes that the user allowed; the token can have fewer. */
    scopes: text().array().$type<Scope[]>().notNull(),
    expires_at: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.token_id] }),
    uniqueIndex('refresh_tokens_family').on(t.realm_id, t.family_hash),
    index('refresh_tokens_expires_at').on(t.expires_at),
    foreignKey({ columns: [t.realm_id, t.token_id], foreignColumns: [tokens.realm_id, tokens.id] }).onDelete('cascade'),
  ],
);
