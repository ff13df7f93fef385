import { sql } from 'drizzle-orm';
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { id, instant, newId } from './columns.ts';
import { realms } from './realms.ts';

/** Users and bots. Bots have a `bot_type`; humans have a password, unless an operator created them without one. */
export const users = pgTable(
  'users',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    /** The real address. Whether the API shows it is decided by `email_address_visibility`. */
    delivery_email: text().notNull(),
    email_key: text().notNull(),
    full_name: text().notNull(),
    role: integer().notNull(),
    is_active: boolean().notNull().default(true),
    is_billing_admin: boolean().notNull().default(false),
    can_create_users: boolean().notNull().default(false),
    is_system_bot: boolean().notNull().default(false),
    bot_type: integer(),
    bot_owner_id: id(),
    password_hash: text(),
    /** API keys are derived from it: raising it invalidates every earlier key. */
    key_version: integer().notNull().default(1),
    avatar_version: integer().notNull().default(1),
    /** The key of the uploaded avatar; null without one. */
    avatar_key: text(),
    // Two personal settings that every list of users needs; the others are in user_settings.
    timezone: text().notNull().default(''),
    email_address_visibility: integer().notNull().default(1),
    date_joined: instant().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('users_email').on(t.realm_id, t.email_key),
    index('users_system_bots').on(t.realm_id).where(sql`is_system_bot`),
    // Each registration reads the bots of the user, or all for an administrator.
    index('users_bots').on(t.realm_id, t.id).where(sql`bot_type is not null`),
    foreignKey({ columns: [t.realm_id, t.bot_owner_id], foreignColumns: [t.realm_id, t.id] }),
  ],
);

/**
 * Changes with the role, the activity or the API key of any account of an organization, by a trigger: a process that remembers
 * the accounts knows by it whether they are as they were. Random, so that a database that went back in time has no version of later on.
 */
export const account_versions = pgTable('account_versions', {
  realm_id: id()
    .primaryKey()
    .references(() => realms.id),
  version: uuid().notNull(),
});

/**
 * One row since the first change, which changes with any organization or account, by triggers: what a process remembers of callers holds while
 * this is the version (`CallerLease`). Random, for the same reason.
 */
export const caller_version = pgTable('caller_version', {
  only: boolean().primaryKey().default(true),
  version: uuid().notNull(),
});

/** Personal settings that differ from the defaults. */
export const user_settings = pgTable(
  'user_settings',
  {
    realm_id: id().notNull(),
    user_id: id().notNull(),
    overrides: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.user_id] }),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);
