import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq, type SQL } from 'drizzle-orm';
import { jsonRows } from '../../core/json-rows-sql.ts';
import type { CustomEmoji } from './rules.ts';

const { custom_emoji } = tables;

/** A custom emoji without its images. */
export interface EmojiRow extends CustomEmoji {
  readonly author_id: number;
  /** Whether its image is animated. */
  readonly moves: boolean;
}

/** All custom emoji of an organization, deactivated ones included. */
const selectCustomEmoji = (realm_id: number): SQL =>
  sql`select id, name, deactivated, author_id, still is not null as moves from custom_emoji
      where realm_id = ${realm_id} order by id`;

export const listCustomEmoji = (db: Db, realm_id: number): Promise<EmojiRow[]> => rows(db, selectCustomEmoji(realm_id));

export const jsonCustomEmoji = (realm_id: number): SQL => jsonRows(selectCustomEmoji(realm_id));

/** The active custom emoji of these names, and the one of this id, active or not. */
export async function findCustomEmoji(
  db: Db,
  realm_id: number,
  { names, id }: { names: readonly string[]; id?: number | undefined },
): Promise<CustomEmoji[]> {
  if (names.length === 0 && id === undefined) return [];
  return rows(
    db,
    sql`select id, name, deactivated from custom_emoji
        where realm_id = ${realm_id} and ((name = any(${sql.param([...names])}::text[]) and not deactivated) or id = ${id ?? null}::bigint)`,
  );
}

export interface NewEmoji extends Pictures {
  readonly realm_id: number;
  readonly name: string;
  readonly author_id: number;
  readonly created_at: Date;
}

/** Returns false if there is an active emoji of that name already. */
export async function insertCustomEmoji(db: Db, emoji: NewEmoji): Promise<boolean> {
  const inserted = await db.insert(custom_emoji).values(emoji).onConflictDoNothing().returning({ id: custom_emoji.id });
  return inserted.length > 0;
}

export async function deactivateEmoji(db: Db, realm_id: number, id: number): Promise<void> {
  await db
    .update(custom_emoji)
    .set({ deactivated: true })
    .where(and(eq(custom_emoji.realm_id, realm_id), eq(custom_emoji.id, id)));
}

/** The active custom emoji of a name. */
export async function findActiveEmoji(
  db: Db,
  realm_id: number,
  name: string,
): Promise<{ id: number; author_id: number } | undefined> {
  const [emoji] = await rows<{ id: number; author_id: number }>(
    db,
    sql`select id, author_id from custom_emoji where realm_id = ${realm_id} and name = ${name} and not deactivated`,
  );
  return emoji;
}

/** The images of an emoji as they are served. */
export interface Pictures {
  readonly image: Uint8Array;
  readonly image_type: string;
  /** The first frame as PNG, if the image is animated. */
  readonly still: Uint8Array | null;
}

export async function findPictures(db: Db, subdomain: string, id: number): Promise<Pictures | undefined> {
  const [found] = await rows<Pictures>(
    db,
    sql`select e.image, e.image_type, e.still from custom_emoji e join realms r on r.id = e.realm_id
        where r.subdomain = ${subdomain} and r.deactivated_at is null and e.id = ${id}`,
  );
  return found;
}
