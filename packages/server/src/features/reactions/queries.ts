import { type Db, rows, tables } from '@parley/db';
import { sql } from '@parley/db/sql';
import { and, eq } from 'drizzle-orm';
import type { Emoji } from '../emoji/index.ts';

const { reactions } = tables;

/** One user's reaction to a message with one emoji. */
export interface ReactionKey extends Pick<Emoji, 'emoji_code' | 'reaction_type'> {
  readonly realm_id: number;
  readonly message_id: number;
  readonly user_id: number;
}

/**
 * Adds a reaction under the name that the emoji has on the message already, else under the given one. Returns that
 * name, or why nothing was added. Adding locks the conversation, so of two concurrent requests the second sees the name
 * of the first.
 */
export async function insertReaction(
  db: Db,
  { realm_id, message_id, user_id, emoji_name, emoji_code, reaction_type }: ReactionKey & Emoji,
): Promise<{ emoji_name: string } | 'no message' | 'exists'> {
  const [found] = await rows<{ is_there: boolean; emoji_name: string | null }>(
    db,
    sql`with m as materialized (
        select id, topic_id from messages where realm_id = ${realm_id} and id = ${message_id} for key share
      ),
      first as (
        select emoji_name from reactions where realm_id = ${realm_id} and message_id = ${message_id}
          and reaction_type = ${reaction_type} and emoji_code = ${emoji_code} order by id limit 1
      ),
      written as (
        insert into reactions (realm_id, message_id, user_id, reaction_type, emoji_code, emoji_name, topic_id)
        select ${realm_id}::bigint, m.id, ${user_id}::bigint, ${reaction_type}, ${emoji_code},
          coalesce((select emoji_name from first), ${emoji_name}), m.topic_id
        from m on conflict do nothing returning emoji_name
      )
      select exists (select from m) as is_there, (select emoji_name from written) as emoji_name`,
  );
  if (!found?.is_there) return 'no message';
  return found.emoji_name === null ? 'exists' : { emoji_name: found.emoji_name };
}

/** The name of the deleted reaction, if there was one. Names change, so the name is not used to find it. */
export async function deleteReaction(
  db: Db,
  { realm_id, message_id, user_id, emoji_code, reaction_type }: ReactionKey,
): Promise<{ emoji_name: string } | undefined> {
  const [deleted] = await db
    .delete(reactions)
    .where(
      and(
        eq(reactions.realm_id, realm_id),
        eq(reactions.message_id, message_id),
        eq(reactions.user_id, user_id),
        eq(reactions.reaction_type, reaction_type),
        eq(reactions.emoji_code, emoji_code),
      ),
    )
    .returning({ emoji_name: reactions.emoji_name });
  return deleted;
}
