import { hasProtectedHistory } from '../../../access/rules.ts';
import type { Ctx } from '../../../core/context.ts';
import { fail } from '../../../core/errors.ts';
import type { EventLists } from '../../../core/event-log/append-sql.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { lockConversations, requireMessage, requireTarget } from '../../messages/index.ts';
import type { SeenStream } from '../../streams/index.ts';
import { findTopic, type Topic } from '../../topics/index.ts';
import type { MovedMessage } from '../queries/move.ts';
import { countMovable, findOldestMoving, type MoveSelection } from '../queries/update.ts';
import { getMoveLimit } from '../rules/move.ts';
import { isPast, type MessageUpdate, type PropagateMode } from '../rules/update.ts';

/** A move that its author can make. */
export interface MovePlan {
  readonly message_id: number;
  readonly mode: PropagateMode;
  readonly change: MessageUpdate;
  readonly from: { readonly stream: SeenStream; readonly topic: string; readonly topic_id: number };
  readonly to: { readonly stream: SeenStream; readonly topic: string };
}

export const toMoveSelection = ({ message_id, mode, from }: MovePlan): MoveSelection => ({
  message_id,
  topic_id: from.topic_id,
  propagate_mode: mode,
});

/** Messages in the order in which events list them. */
export function putFirst(message_id: number, moved: readonly MovedMessage[]): readonly MovedMessage[] {
  const named = moved.findIndex(({ id }) => id === message_id);
  const [first] = moved.slice(named, named + 1);
  return first && named > 0 ? [first, ...moved.slice(0, named), ...moved.slice(named + 1)] : moved;
}

/** What events contain of moved messages: their old numbers only if these decide the recipients. */
export function toEventLists({ from, change }: MovePlan, moved: readonly MovedMessage[]): EventLists {
  const message_ids = moved.map(({ id }) => id);
  const counts = change.stream_id !== undefined || hasProtectedHistory(from.stream);
  return { message_ids, seqs: counts ? moved.map(({ old_seq }) => old_seq) : [] };
}

/**
 * Fails if a message is older than the organization lets this user move, and says which messages they can move (check
 * 13).
 */
export async function requireMovable(ctx: Ctx, move: MovePlan): Promise<void> {
  const limit = getMoveLimit(ctx.me, move.change, ctx.realm.settings);
  if (limit === null) return;
  const oldest = await findOldestMoving(ctx.db, ctx.me, toMoveSelection(move));
  if (oldest === undefined || !isPast(limit, oldest, ctx.now)) return;
  const counts = await countMovable(ctx.db, ctx.me, toMoveSelection(move), new Date(ctx.now.getTime() - limit * 1000));
  fail('MOVE_MESSAGES_TIME_LIMIT_EXCEEDED', 'Some of these messages are too old for you to move them.', {
    first_message_id_allowed_to_move: counts.first_allowed,
    total_messages_in_topic: counts.total,
    total_messages_allowed_to_move: counts.allowed,
  });
}

/** Locks the streams, and verifies that the facts read before the lock still hold. */
export async function lockAndReload(ctx: Ctx, move: MovePlan, there: Topic | undefined): Promise<void> {
  const { from, to, change } = move;
  await lockConversations(ctx.db, ctx.realm.id, [...new Set([from.stream.id, to.stream.id])]);
  await requireMessage(ctx, move.message_id);
  const target = change.stream_id === undefined ? to.stream : await requireTarget(ctx, change.stream_id);
  if (hasProtectedHistory(target) !== hasProtectedHistory(to.stream))
    abortAndRetry('Another request changed the access to the stream meanwhile.');
  const now = await findTopic(ctx.db, ctx.realm.id, to.stream.id, to.topic);
  if (now?.id !== there?.id) abortAndRetry('Another request created or removed the new topic meanwhile.');
}
