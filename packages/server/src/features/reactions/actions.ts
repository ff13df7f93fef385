import type { CollectionLimiting } from '../../core/collection-limits.ts';
import type { Ctx } from '../../core/context.ts';
import type { Params } from '../../core/contract.ts';
import { fail, failUnknown } from '../../core/errors.ts';
import type { EventDeliveryMetadata } from '../../core/event-log/delivery-metadata.ts';
import { requireRoom } from '../../core/require-room.ts';
import { type Emoji, requireEmoji, requireRemovable } from '../emoji/index.ts';
import { insertIntoHistory } from '../flags/index.ts';
import { failUnknownMessage, followTopicAfterReacting, requireMessageInHistory } from '../messages/index.ts';
import { getApiEmail } from '../users/index.ts';
import { deleteReaction, insertReaction, type ReactionKey } from './queries.ts';

/** Reacts to a message. It becomes part of the person's history, and may make them follow its topic. */
export async function addReaction(
  ctx: Ctx<CollectionLimiting>,
  { message_id, ...query }: Params<'addReaction'>,
): Promise<void> {
  const message = await requireMessageInHistory(ctx, message_id);
  const emoji = await requireEmoji(ctx, query);
  const added = await insertReaction(ctx.db, { ...emoji, ...keyOf(ctx, message_id, emoji) });
  if (added === 'no message') return failUnknownMessage(message_id);
  if (added === 'exists') return fail('REACTION_ALREADY_EXISTS', 'You have reacted with this emoji already.');
  await requireRoom(ctx, 'own_reactions', 0, { message_id });
  await requireRoom(ctx, 'reactions', 0, { message_id });
  emitReaction(ctx, 'add', message_id, { ...emoji, ...added }, { writes: [insertIntoHistory(ctx.me, message_id)] });
  await followTopicAfterReacting(ctx, message);
}

/** Removes a reaction of the caller, in the order of docs/behaviour/reactions.md#remove-a-reaction. */
export async function removeReaction(ctx: Ctx, { message_id, ...query }: Params<'removeReaction'>): Promise<void> {
  await requireMessageInHistory(ctx, message_id);
  const meant = await requireRemovable(ctx, query);
  const removed = await deleteReaction(ctx.db, keyOf(ctx, message_id, meant));
  if (removed) return emitReaction(ctx, 'remove', message_id, { ...meant, ...removed });
  if (meant.problem !== undefined) failUnknown(meant.problem);
  fail('REACTION_DOES_NOT_EXIST', 'You have not reacted with this emoji.');
}

function keyOf(ctx: Ctx, message_id: number, { emoji_code, reaction_type }: Omit<Emoji, 'emoji_name'>): ReactionKey {
  return { realm_id: ctx.realm.id, message_id, user_id: ctx.me.id, emoji_code, reaction_type };
}

function emitReaction(
  ctx: Ctx,
  op: 'add' | 'remove',
  message_id: number,
  emoji: Emoji,
  metadata?: EventDeliveryMetadata,
): void {
  const { emoji_name, emoji_code, reaction_type } = emoji;
  const { id, full_name } = ctx.me;
  const user = { user_id: id, email: getApiEmail(ctx.realm, ctx.me), full_name };
  ctx.emit(
    { type: 'reaction', op, message_id, emoji_name, emoji_code, reaction_type, user_id: id, user },
    { message: { id: message_id } },
    metadata,
  );
}
