import { type Db, rows, tables } from '@parley/db';
import { and, eq, getTableColumns, inArray, or, sql } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';
import { VISIBILITY } from '../rules.ts';

const { users } = tables;
const { password_hash: _, email_key: __, ...columns } = getTableColumns(users);
/** Everything about an account but its secrets. */
export const userColumns = columns;

/** Every person and bot by id, deactivated ones included; the server's own accounts are nobody's colleagues. */
export async function listUsers(db: Db, realm_id: number): Promise<User[]> {
  return db
    .select(userColumns)
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.is_system_bot, false)))
    .orderBy(users.id);
}

export async function listUsersByIds(db: Db, realm_id: number, ids: readonly number[]): Promise<User[]> {
  if (ids.length === 0) return [];
  return db
    .select(userColumns)
    .from(users)
    .where(and(eq(users.realm_id, realm_id), sql`${users.id} = any(${sql.param([...ids])}::bigint[])`))
    .orderBy(users.id);
}

/** People by what the API shows as their email: real addresses in lower case, and ids of those who hide theirs. */
export async function listUsersByEmailKeys(
  db: Db,
  realm_id: number,
  { keys, hidden_ids }: { keys: readonly string[]; hidden_ids: readonly number[] },
): Promise<User[]> {
  const shown = eq(users.email_address_visibility, VISIBILITY.everyone);
  return db
    .select(userColumns)
    .from(users)
    .where(
      and(
        eq(users.realm_id, realm_id),
        or(
          and(shown, sql`${users.email_key} = any(${sql.param([...keys])}::text[])`),
          and(sql`not ${shown}`, sql`${users.id} = any(${sql.param([...hidden_ids])}::bigint[])`),
        ),
      ),
    );
}

export async function findNotificationBot(db: Db, realm_id: number): Promise<User> {
  const [bot] = await db
    .select(userColumns)
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.is_system_bot, true)))
    .orderBy(users.id);
  if (!bot) throw new Error(`Organization ${realm_id} has no notification bot`);
  return bot;
}

/** Active people and bots with one of these full names, ignoring case. */
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
        // A database of the C locale folds ASCII only; an exactly written name is found all the same.
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

/** The newest message somebody received, if any: the newest of each of their conversations are compared. */
export async function findNewestMessageId(db: Db, realm_id: number, user_id: number): Promise<number | undefined> {
  const [row] = await db
    .select({ newest })
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.id, user_id)))
    .prepare('find_newest_message_id')
    .execute();
  return row?.newest ?? undefined;
}

/** Whether role:fullmembers has them as a direct member. */
export async function isListedFullMember(db: Db, { realm_id, id }: Pick<User, 'realm_id' | 'id'>): Promise<boolean> {
  const found = await rows(
    db,
    sql`select 1 from user_groups g
        join user_group_members m on m.realm_id = g.realm_id and m.group_id = g.id and m.user_id = ${id}
        where g.realm_id = ${realm_id} and g.name = 'role:fullmembers'`,
  );
  return found.length > 0;
}
