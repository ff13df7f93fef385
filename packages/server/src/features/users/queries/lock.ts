import { type Db, defineQuery, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq } from 'drizzle-orm';
import { bigints } from '../../../core/bigints-sql.ts';
import type { User } from '../../../core/context.ts';
import { userColumns } from './users.ts';

const { users } = tables;

/**
 * Serializes changes of what belongs to a user: settings, status, muted users. Rows that only reference the user, like
 * their messages, do not wait.
 */
export async function lockUser(db: Db, { realm_id, id }: Pick<User, 'realm_id' | 'id'>): Promise<void> {
  await rows(db, sql`select from users where realm_id = ${realm_id} and id = ${id} for no key update`);
}

/** Serializes changes that affect whether guests see these users. */
export async function lockUsers(db: Db, realm_id: number, ids: readonly number[]): Promise<void> {
  await rows(
    db,
    sql`select from users where realm_id = ${realm_id} and id = any(${bigints(ids)})
        order by id for no key update`,
  );
}

const selectLocked = defineQuery<User, { realm_id: number; id: number }>('lock_user', (db) =>
  db
    .select(userColumns)
    .from(users)
    .where(and(eq(users.realm_id, sql.placeholder('realm_id')), eq(users.id, sql.placeholder('id'))))
    .for('no key update'),
);

/** Returns the user in the present state, and serializes changes of what belongs to them. */
export async function requireLockedUser(db: Db, { realm_id, id }: Pick<User, 'realm_id' | 'id'>): Promise<User> {
  const [user] = await selectLocked(db, { realm_id, id });
  if (!user) throw new Error(`There is no user ${id}`);
  return user;
}

const selectForShare = defineQuery<User, { realm_id: number; ids: number[] }>('list_users_for_share', (db) =>
  db
    .select(userColumns)
    .from(users)
    .where(
      and(eq(users.realm_id, sql.placeholder('realm_id')), sql`${users.id} = any(${sql.placeholder('ids')}::bigint[])`),
    )
    .orderBy(users.id)
    .for('share'),
);

/** These users, locked for share: their rows do not change until the commit. */
export async function lockUsersForShare(db: Db, realm_id: number, ids: readonly number[]): Promise<User[]> {
  return selectForShare(db, { realm_id, ids: [...ids] });
}
