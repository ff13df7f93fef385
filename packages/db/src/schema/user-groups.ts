import { boolean, foreignKey, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { id, newId } from './columns.ts';
import { realms } from './realms.ts';
import { users } from './users.ts';

export const user_groups = pgTable(
  'user_groups',
  {
    realm_id: id()
      .notNull()
      .references(() => realms.id),
    id: newId().notNull(),
    name: text().notNull(),
    description: text().notNull(),
    is_system_group: boolean().notNull(),
    can_mention_group: id(),
  },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.id] }),
    uniqueIndex('user_groups_name').on(t.realm_id, t.name),
    foreignKey({ columns: [t.realm_id, t.can_mention_group], foreignColumns: [t.realm_id, t.id] }),
  ],
);

export const user_group_members = pgTable(
  'user_group_members',
  { realm_id: id().notNull(), group_id: id().notNull(), user_id: id().notNull() },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.group_id, t.user_id] }),
    index('user_group_members_user').on(t.realm_id, t.user_id),
    foreignKey({ columns: [t.realm_id, t.group_id], foreignColumns: [user_groups.realm_id, user_groups.id] }).onDelete(
      'cascade',
    ),
    foreignKey({ columns: [t.realm_id, t.user_id], foreignColumns: [users.realm_id, users.id] }),
  ],
);

export const user_group_subgroups = pgTable(
  'user_group_subgroups',
  { realm_id: id().notNull(), group_id: id().notNull(), subgroup_id: id().notNull() },
  (t) => [
    primaryKey({ columns: [t.realm_id, t.group_id, t.subgroup_id] }),
    foreignKey({ columns: [t.realm_id, t.group_id], foreignColumns: [user_groups.realm_id, user_groups.id] }).onDelete(
      'cascade',
    ),
    foreignKey({
      columns: [t.realm_id, t.subgroup_id],
      foreignColumns: [user_groups.realm_id, user_groups.id],
    }).onDelete('cascade'),
  ],
);
