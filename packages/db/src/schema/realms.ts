import { sql } from 'drizzle-orm';
import { jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';

export const realms = pgTable(
  'realms',
  {
    id: newId().primaryKey(),
    subdomain: text().notNull(),
    /** What is derived from the server's secret depends on it as well: databases with one secret have no API key in common. */
    key_salt: text().notNull().default(sql`gen_random_uuid()::text`),
    created_at: instant().notNull(),
    deactivated_at: instant(),
  },
  (t) => [uniqueIndex('realms_subdomain').on(t.subdomain)],
);

// Only what differs from the defaults is stored, so a default is changed in one place for everyone who kept it.
export const realm_settings = pgTable('realm_settings', {
  realm_id: id()
    .primaryKey()
    .references(() => realms.id),
  overrides: jsonb().$type<Record<string, unknown>>().notNull(),
});

/** What new people start with, as far as it differs from what everybody does. */
export const realm_user_settings_defaults = pgTable('realm_user_settings_defaults', {
  realm_id: id()
    .primaryKey()
    .references(() => realms.id),
  overrides: jsonb().$type<Record<string, unknown>>().notNull(),
});

/** What administrators and operators did, for the organization's owners to look up. */
export const audit_log = pgTable(
  'audit_log',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    at: instant().notNull(),
    /** Null when an operator acted from the command line. */
    actor_id: id(),
    action: text().notNull(),
    details: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.realm_id, t.id] })],
);
