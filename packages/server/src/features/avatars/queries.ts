import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq } from 'drizzle-orm';
import type { User } from '../../core/context.ts';
import type { AvatarPictures } from './pictures.ts';

const { avatars, users } = tables;
type Whose = Pick<User, 'realm_id' | 'id'>;

/** Stores an image, and replaces the previous one. */
export async function replacePictures(
  db: Db,
  { realm_id, id }: Whose,
  key: string,
  pictures: AvatarPictures,
): Promise<void> {
  const row = { key, ...pictures };
  await db
    .insert(avatars)
    .values({ realm_id, user_id: id, ...row })
    .onConflictDoUpdate({ target: [avatars.realm_id, avatars.user_id], set: row });
}

export async function deletePictures(db: Db, { realm_id, id }: Whose): Promise<void> {
  await db.delete(avatars).where(and(eq(avatars.realm_id, realm_id), eq(avatars.user_id, id)));
}

export async function updateAvatar(
  db: Db,
  { realm_id, id }: Whose,
  changed: Pick<User, 'avatar_key' | 'avatar_version'>,
): Promise<void> {
  await db
    .update(users)
    .set(changed)
    .where(and(eq(users.realm_id, realm_id), eq(users.id, id)));
}

interface Which {
  readonly subdomain: string;
  readonly key: string;
  readonly size: 'small' | 'medium';
}

/** The image with this key in the organization at this address. */
export async function findPicture(db: Db, { subdomain, key, size }: Which): Promise<Uint8Array | undefined> {
  const [found] = await rows<{ bytes: Uint8Array }>(
    db,
    sql`select ${size === 'small' ? sql`a.image` : sql`a.medium`} as bytes
        from avatars a join realms r on r.id = a.realm_id
        where r.subdomain = ${subdomain} and r.deactivated_at is null and a.key = ${key}`,
  );
  return found?.bytes;
}
