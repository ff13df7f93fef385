import { sql } from 'drizzle-orm';
import { jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';

export const realms = pgTable(
  'realms',
  {
    id: newId().primaryKey(),
    subdomain: text().notNull(),
    /** Values derived from the server's secret depend on it as well: databases with one secret share no API keys. */
    key_salt: text().notNull().default(sql`gen_random_uuid()::text`),
    created_at: instant().notNull(),
    deactivated_at: instant(),
  },
  (t) => [uniqueIndex('realms_subdomain').on(t.subdomain)],
);

// Only differences from the defaults are stored, so a changed default applies to all users who kept it.
export const realm_settings = pgTable('realm_settings', {
  realm_id: id()
    .primaryKey()
    .references(() => realms.id),
  overrides: jsonb().$type<Record<string, unknown>>().notNull(),
});

/** The initial settings of new users, as far as they differ from the defaults. */
export const realm_user_settings_defaults = pgTable('realm_user_settings_defaults', {
  realm_id: id()
    .primaryKey()
    .references(() => realms.id),
  overrides: jsonb().$type<Record<string, unknown>>().notNull(),
});

/** The audit log: actions of administrators and operators, for the organization's owners. */
export const audit_log = pgTable(
  'audit_log',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    at: instant().notNull(),
    /** Null when the operator acted from the command line. */
    actor_id: id(),
    action: text().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.realm_id, t.id] })],
);
