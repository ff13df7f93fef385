import { type Db, rows } from '@parley/db';
import { sql } from 'drizzle-orm';
import type { MessageUser, PresentableReaction } from '../present.ts';

interface Row extends Omit<PresentableReaction, 'by'>, MessageUser {
  readonly message_id: number;
}

/** The reactions to messages, by message, the oldest first. */
export async function listReactions(
  db: Db,
  realm_id: number,
  message_ids: readonly number[],
): Promise<Map<number, PresentableReaction[]>> {
  const reactions = new Map<number, PresentableReaction[]>();
  if (message_ids.length === 0) return reactions;
  const found = await rows<Row>(
    db,
    sql`select r.message_id, r.emoji_name, r.emoji_code, r.reaction_type, u.id, u.full_name, u.delivery_email, u.email_address_visibility
        from reactions r join users u on u.realm_id = r.realm_id and u.id = r.user_id
        where r.realm_id = ${realm_id} and r.message_id = any(${sql.param([...message_ids])}::bigint[]) order by r.id`,
  );
  for (const { message_id, emoji_name, emoji_code, reaction_type, ...by } of found) {
    const reaction = { emoji_name, emoji_code, reaction_type, by };
    const others = reactions.get(message_id);
    if (others) others.push(reaction);
    else reactions.set(message_id, [reaction]);
  }
  return reactions;
}
