import { type Db, sqlState, tables } from '@parley/db';
import { and, eq, lt, ne } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';

const { email_changes, users } = tables;
type Account = Pick<User, 'realm_id' | 'id'>;
export type EmailChange = typeof email_changes.$inferSelect;

/** Whether another account of the organization has this address, ignoring case. */
export async function isAddressTaken(db: Db, { realm_id, id }: Account, email: string): Promise<boolean> {
  const found = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.realm_id, realm_id), eq(users.email_key, email.toLowerCase()), ne(users.id, id)));
  return found.length > 0;
}

export async function upsertEmailChange(db: Db, change: EmailChange): Promise<void> {
  const { new_email, token_hash, expires_at } = change;
  await db
    .insert(email_changes)
    .values(change)
    .onConflictDoUpdate({
      target: [email_changes.realm_id, email_changes.user_id],
      set: { new_email, token_hash, expires_at },
    });
}

export async function findEmailChange(db: Db, realm_id: number, token_hash: string): Promise<EmailChange | undefined> {
  const [row] = await db
    .select()
    .from(email_changes)
    .where(and(eq(email_changes.realm_id, realm_id), eq(email_changes.token_hash, token_hash)));
  return row;
}

/** Deletes the request; returns false if it was deleted or replaced. */
export async function deleteEmailChange(db: Db, { realm_id, token_hash }: EmailChange): Promise<boolean> {
  const deleted = await db
    .delete(email_changes)
    .where(and(eq(email_changes.realm_id, realm_id), eq(email_changes.token_hash, token_hash)))
    .returning({ user_id: email_changes.user_id });
  return deleted.length > 0;
}

/** Deletes requests whose links have expired. */
export async function deleteExpiredEmailChanges(db: Db, now: Date): Promise<void> {
  await db.delete(email_changes).where(lt(email_changes.expires_at, now));
}

/**
 * Changes the address of an account. Returns false if another account took it at this moment, which aborts the
 * transaction.
 */
export async function updateEmail(db: Db, { realm_id, id }: Account, delivery_email: string): Promise<boolean> {
  try {
    await db
      .update(users)
      .set({ delivery_email, email_key: delivery_email.toLowerCase() })
      .where(and(eq(users.realm_id, realm_id), eq(users.id, id)));
    return true;
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    return false;
  }
}
