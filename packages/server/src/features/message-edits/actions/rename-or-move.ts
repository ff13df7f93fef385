import { hasProtectedHistory } from '../../../access/rules.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Throttling } from '../../../core/server.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { isTopicReadable } from '../../flags/index.ts';
import { emitTopicRenamed, findOrCreateTopic, findTopic, moveTopicPolicies, type Topic } from '../../topics/index.ts';
import {
  countMoving,
  findNewestInTopic,
  insertMove,
  listTopicMessages,
  type MovedMessage,
  moveReactions,
  renameTopic,
  writeTopicEventLists,
} from '../queries/move.ts';
import { hasOtherMessages } from '../queries/update.ts';
import { mergePolicies } from '../rules/move.ts';
import { moveMessages, type PrewrittenLists, type StreamMove } from './move-messages.ts';
import { lockAndReload, type MovePlan, toMoveSelection } from './move-plan.ts';

/** A completed move. */
export interface MoveDone extends MovePlan {
  readonly move_id: number;
  /** The name of the topic after the move. A topic that exists keeps its case. */
  readonly topic: Topic;
  /** The moved messages, ascending. Undefined when a whole topic was renamed and its messages were not touched. */
  readonly moved: readonly MovedMessage[] | undefined;
  /** The newest message of the renamed topic. */
  readonly up_to: number;
  readonly whole: boolean;
  /** Whether the new topic had no messages before. */
  readonly was_empty: boolean;
  /** The parts that are prewritten for the events; undefined when few messages moved. */
  readonly ahead: PrewrittenLists | undefined;
  /** Undefined within a stream. */
  readonly left: StreamMove | undefined;
}

/**
 * From this number of messages on, messages are moved before the stream is locked. For fewer, the time under the lock
 * is negligible.
 */
const LARGE = 1000;

/** Makes the move. Afterwards the streams stay locked until the commit. */
export async function renameOrMove(ctx: Ctx<Throttling>, move: MovePlan): Promise<MoveDone> {
  const there = await findTopic(ctx.db, ctx.realm.id, move.to.stream.id, move.to.topic);
  if (await isRenaming(ctx, move, there)) {
    await lockAndReload(ctx, move, there);
    // A message that was sent meanwhile can stay behind.
    if (await isRenaming(ctx, move, there)) return rename(ctx, move, there);
    return abortAndRetry('Another request wrote to the topic meanwhile.');
  }
  const isLarge = (await countMoving(ctx.db, ctx.realm.id, toMoveSelection(move), LARGE + 1)) > LARGE;
  if (!isLarge) await lockAndReload(ctx, move, there);
  return moveToTopic(ctx, move, there, isLarge);
}

/** Whether a whole topic gets a name that no other topic with messages has. Then only its row changes. */
async function isRenaming(ctx: Ctx, move: MovePlan, there: Topic | undefined): Promise<boolean> {
  if (move.change.stream_id !== undefined) return false;
  if (there?.id === move.from.topic_id) return true;
  if (there && (await findNewestInTopic(ctx.db, ctx.realm.id, there.id)) !== undefined) return false;
  return move.mode === 'change_all' || !(await hasOtherMessages(ctx.db, ctx.realm.id, toMoveSelection(move)));
}

async function rename(ctx: Ctx, move: MovePlan, there: Topic | undefined): Promise<MoveDone> {
  const { from, to } = move;
  const realm_id = ctx.realm.id;
  const up_to = (await findNewestInTopic(ctx.db, realm_id, from.topic_id)) ?? move.message_id;
  const moved = hasProtectedHistory(from.stream) ? await listTopicMessages(ctx.db, realm_id, from.topic_id) : undefined;
  const ids = { stream_id: from.stream.id, topic_id: from.topic_id };
  const taken = there && there.id !== from.topic_id ? there.id : undefined;
  await renameTopic(ctx.db, realm_id, { id: from.topic_id, name: to.topic, taken });
  const move_id = await insertMove(ctx.db, {
    realm_id,
    user_id: ctx.me.id,
    now: ctx.now,
    from: { ...ids, topic: from.topic },
    to: { ...ids, topic: to.topic },
    up_to,
  });
  await emitTopicRenamed(ctx, { ...ids, name: to.topic }, from.topic);
  const topic = { id: from.topic_id, name: to.topic };
  return { ...move, move_id, topic, moved, up_to, whole: true, was_empty: true, ahead: undefined, left: undefined };
}

async function moveToTopic(
  ctx: Ctx<Throttling>,
  move: MovePlan,
  there: Topic | undefined,
  isLarge: boolean,
): Promise<MoveDone> {
  const { from, to } = move;
  const realm_id = ctx.realm.id;
  await writeTopicEventLists(ctx.db, realm_id, [from.topic_id, ...(there ? [there.id] : [])]);
  const was_empty = !there || (await findNewestInTopic(ctx.db, realm_id, there.id)) === undefined;
  const topic = there ?? (await findOrCreateTopic(ctx.db, realm_id, to.stream.id, to.topic));
  const move_id = await insertMove(ctx.db, {
    realm_id,
    user_id: ctx.me.id,
    now: ctx.now,
    from: { stream_id: from.stream.id, topic_id: from.topic_id, topic: from.topic },
    to: { stream_id: to.stream.id, topic_id: topic.id, topic: topic.name },
    up_to: null,
  });
  const { moved, left, whole, ahead } = await moveMessages(ctx, { move, move_id, topic, isLarge });
  await moveReactions(ctx.db, realm_id, from.topic_id, topic.id);
  if (move.mode === 'change_all' || !(await isTopicReadable(ctx.db, ctx.me, from.topic_id)))
    await moveTopicPolicies(ctx, {
      from: { stream_id: from.stream.id, topic_id: from.topic_id, name: from.topic },
      to: { stream_id: to.stream.id, topic_id: topic.id, name: topic.name },
      was_empty,
      merged: mergePolicies,
    });
  return { ...move, move_id, topic, moved, up_to: moved.at(-1)?.id ?? move.message_id, whole, was_empty, ahead, left };
}
