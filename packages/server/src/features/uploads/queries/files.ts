import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq } from 'drizzle-orm';
import type { User } from '../../../core/context.ts';
import { canReadUpload } from '../access-sql.ts';

const { message_uploads, uploads, upload_pieces } = tables;

export type NewUpload = Omit<typeof uploads.$inferInsert, 'id'>;

export async function insertUpload(db: Db, upload: NewUpload): Promise<number> {
  const [inserted] = await db.insert(uploads).values(upload).returning({ id: uploads.id });
  if (!inserted) throw new Error('unreachable');
  return inserted.id;
}

/** A stored file. */
export interface StoredUpload {
  readonly realm_id: number;
  readonly id: number;
  readonly user_id: number;
  readonly key: string;
  readonly name: string;
  readonly content_type: string;
  readonly size: number;
}

export async function insertPiece(
  db: Db,
  { realm_id, id }: Pick<StoredUpload, 'realm_id' | 'id'>,
  starts_at: number,
  bytes: Uint8Array,
): Promise<void> {
  await db.insert(upload_pieces).values({ realm_id, upload_id: id, starts_at, bytes });
}

/** The content of a file from this byte on: so many bytes, or those up to the end of the stored piece. */
export async function findPart(
  db: Db,
  { realm_id, id }: Pick<StoredUpload, 'realm_id' | 'id'>,
  at: number,
  length: number,
): Promise<Uint8Array | undefined> {
  const [part] = await rows<{ bytes: Uint8Array }>(
    db,
    sql`select substring(bytes from ${at}::int - starts_at + 1 for ${length}::int) as bytes from upload_pieces
        where realm_id = ${realm_id} and upload_id = ${id} and starts_at <= ${at} order by starts_at desc limit 1`,
  );
  return part?.bytes;
}

/** The file of this key, if the user can read it. */
export async function findReadable(db: Db, me: User, key: string): Promise<StoredUpload | undefined> {
  const [found] = await rows<StoredUpload>(
    db,
    sql`select u.realm_id, u.id, u.user_id, u.key, u.name, u.content_type, u.size from uploads u
        where u.realm_id = ${me.realm_id} and u.key = ${key} and ${canReadUpload(me)}`,
  );
  return found;
}

/**
 * Deletes a file of this user, and its links. Returns its size, or undefined if the user has no such file. The row is
 * locked first: a concurrent request that links the file holds it, and its links are seen.
 */
export async function deleteUpload(
  db: Db,
  { realm_id, id: user_id }: Pick<User, 'realm_id' | 'id'>,
  id: number,
): Promise<number | undefined> {
  const isIt = and(eq(uploads.realm_id, realm_id), eq(uploads.id, id), eq(uploads.user_id, user_id));
  const [found] = await db.select({ size: uploads.size }).from(uploads).where(isIt).for('update');
  if (!found) return undefined;
  await db
    .delete(message_uploads)
    .where(and(eq(message_uploads.realm_id, realm_id), eq(message_uploads.upload_id, id)));
  await db.delete(uploads).where(isIt);
  return found.size;
}
