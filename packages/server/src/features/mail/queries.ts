import { type Db, tables } from '@parley/db';
import { and, asc, eq, getTableColumns, lte } from 'drizzle-orm';

const { letters, realms } = tables;
/** An email, and the facts that its seal depends on. */
export type QueuedEmailRow = typeof letters.$inferSelect & { readonly key_salt: string };

export async function insertQueuedEmail(db: Db, email: typeof letters.$inferInsert): Promise<void> {
  await db.insert(letters).values(email);
}

/** Emails that are due, the longest due first. */
export async function listDueEmails(db: Db, now: Date, limit: number): Promise<QueuedEmailRow[]> {
  return db
    .select({ ...getTableColumns(letters), key_salt: realms.key_salt })
    .from(letters)
    .innerJoin(realms, eq(realms.id, letters.realm_id))
    .where(lte(letters.due_at, now))
    .orderBy(asc(letters.due_at), asc(letters.id))
    .limit(limit);
}

type Key = Pick<QueuedEmailRow, 'realm_id' | 'id'>;

export async function deleteQueuedEmail(db: Db, { realm_id, id }: Key): Promise<void> {
  await db.delete(letters).where(and(eq(letters.realm_id, realm_id), eq(letters.id, id)));
}

export async function postponeEmail(db: Db, { realm_id, id, attempts }: QueuedEmailRow, due_at: Date): Promise<void> {
  await db
    .update(letters)
    .set({ due_at, attempts: attempts + 1 })
    .where(and(eq(letters.realm_id, realm_id), eq(letters.id, id)));
}

/** The number of unsent emails of all organizations. */
export async function countQueuedEmails(db: Db): Promise<number> {
  return db.$count(letters);
}
