import { type Db, tables } from '@parley/db';
import { and, eq, getTableColumns } from 'drizzle-orm';
import type { User } from '../../core/context.ts';

const { users } = tables;
const { password_hash: _, email_key: __, ...columns } = getTableColumns(users);

/** The account with this real email address, whatever its case. */
export async function findAccount(db: Db, realm_id: number, email: string): Promise<User | undefined> {
  const [row] = await db
    .select(columns)
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.email_key, email.toLowerCase())));
  return row;
}

export interface Login {
  user: User;
  /** Null: nobody can log in with a password. */
  password_hash: string | null;
}

/** The account with this real email address and what its password is checked against. */
export async function findLogin(db: Db, realm_id: number, email: string): Promise<Login | undefined> {
  const [row] = await db
    .select({ user: columns, password_hash: users.password_hash })
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.email_key, email.toLowerCase())));
  return row;
}
