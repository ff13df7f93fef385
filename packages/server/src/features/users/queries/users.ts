import { type Db, defineQuery, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, getTableColumns, inArray, or } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { VISIBILITY } from '../rules.ts';

const { users } = tables;
const { password_hash: _, email_key: __, ...columns } = getTableColumns(users);
/** All columns of an account but its secrets. */
export const userColumns = columns;

const inRealm = eq(users.realm_id, sql.placeholder('realm_id'));

const selectUsers = defineQuery<User, { realm_id: number }>('list_users', (db) =>
  db
    .select(userColumns)
    .from(users)
    .where(and(inRealm, eq(users.is_system_bot, false)))
    .orderBy(users.id),
);

/** All users and bots by id, deactivated ones included, without the server's own bots. */
export async function listUsers(db: Db, realm_id: number): Promise<User[]> {
  return selectUsers(db, { realm_id });
}

const selectUsersByIds = defineQuery<User, { realm_id: number; ids: number[] }>('list_users_by_ids', (db) =>
  db
    .select(userColumns)
    .from(users)
    .where(and(inRealm, sql`${users.id} = any(${sql.placeholder('ids')}::bigint[])`))
    .orderBy(users.id),
);

export async function listUsersByIds(db: Db, realm_id: number, ids: readonly number[]): Promise<User[]> {
  if (ids.length === 0) return [];
  return selectUsersByIds(db, { realm_id, ids: [...ids] });
}

/** Users by what the API shows as their email: real addresses in lower case, and ids of users who hide theirs. */
export async function listUsersByEmailKeys(
  db: Db,
  realm_id: number,
  { keys, hidden_ids }: { keys: readonly string[]; hidden_ids: readonly number[] },
): Promise<User[]> {
  const isPublic = eq(users.email_address_visibility, VISIBILITY.everyone);
  return db
    .select(userColumns)
    .from(users)
    .where(
      and(
        eq(users.realm_id, realm_id),
        or(
          and(isPublic, sql`${users.email_key} = any(${sql.param([...keys])}::text[])`),
          and(sql`not ${isPublic}`, sql`${users.id} = any(${bigints(hidden_ids)})`),
        ),
      ),
    );
}

const selectSystemBots = defineQuery<User, { realm_id: number }>('list_system_bots', (db) =>
  db
    .select(userColumns)
    .from(users)
    // Not a parameter: the index has only rows for which it is true.
    .where(and(inRealm, sql`${users.is_system_bot}`))
    .orderBy(users.id),
);

export async function findNotificationBot(db: Db, realm_id: number): Promise<User> {
  const [bot] = await selectSystemBots(db, { realm_id });
  if (!bot) throw new Error(`Organization ${realm_id} has no notification bot`);
  return bot;
}

/** Active users and bots with one of these full names, ignoring case. */
export async function listActiveUsersByNames(
  db: Db,
  realm_id: number,
  names: readonly string[],
): Promise<{ id: number; full_name: string }[]> {
  if (names.length === 0) return [];
  const folded = [...new Set(names.map((name) => name.toLowerCase()))];
  return db
    .select({ id: users.id, full_name: users.full_name })
    .from(users)
    .where(
      and(
        eq(users.realm_id, realm_id),
        eq(users.is_active, true),
        eq(users.is_system_bot, false),
        // A database of the C locale folds ASCII only; a name in its exact case is found all the same.
        or(inArray(users.full_name, [...names]), sql`lower(${users.full_name}) = any(${sql.param(folded)}::text[])`),
      ),
    )
    .orderBy(users.id);
}

const newest = sql<number | null>`(
  select max(m.id) from memberships s
  cross join lateral (
    select m.id from messages m
    where m.realm_id = s.realm_id and m.conversation_id = s.conversation_id and s.received @> m.seq
      and (upper_inf(s.received) or m.seq < upper(s.received))
    order by m.seq desc limit 1
  ) as m
  where s.realm_id = users.realm_id and s.user_id = users.id)`;

const selectNewest = defineQuery<{ newest: number | null }, { realm_id: number; id: number }>(
  'find_newest_message_id',
  (db) =>
    db
      .select({ newest })
      .from(users)
      .where(and(inRealm, eq(users.id, sql.placeholder('id')))),
);

/** The newest message that a user received, if any: the newest of each of their conversations are compared. */
export async function findNewestMessageId(db: Db, realm_id: number, user_id: number): Promise<number | undefined> {
  const [row] = await selectNewest(db, { realm_id, id: user_id });
  return row?.newest ?? undefined;
}
