import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { failForbidden, failOnProblem } from '../../../core/errors.ts';
import type { Throttling } from '../../../core/server.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { topicKey } from '../../../text/topics.ts';
import {
  lockConversations,
  lockTopics,
  requireMessage,
  requireTarget,
  type SeenMessage,
} from '../../messages/index.ts';
import { canUnderPolicy } from '../../realm/index.ts';
import { findStreamById, type SeenStream } from '../../streams/index.ts';
import { findTopic } from '../../topics/index.ts';
import { changeProblem, type MessageUpdate, toMessageUpdate } from '../rules/update.ts';
import { applyEdit, type PreparedEdit, requireEdit } from './edit.ts';
import { emitUpdated, notifyMoved } from './emit-updated.ts';
import { type MovePlan, requireMovable } from './move-plan.ts';
import { type MoveDone, renameOrMove } from './rename-or-move.ts';

type UpdateMessageParams = Params<'updateMessage'>;

/**
 * Changes the content of a message, or the location of it and of those after it. Checks run in the order of
 * docs/behaviour/messages.md#order-of-checks-when-editing.
 */
export async function updateMessage(ctx: Ctx<Throttling>, params: UpdateMessageParams): Promise<void> {
  const message = await requireLocked(ctx, params);
  const { allow_message_editing } = ctx.realm.settings;
  const problem = changeProblem(message, params, { me: ctx.me, allow_message_editing });
  failOnProblem(problem);
  const change = toMessageUpdate(message, params);
  requireTopicPolicy(ctx, change);
  const edit = change.content === undefined ? undefined : await requireEdit(ctx, message, change.content);
  const move = await requireMove(ctx, message, change, params);
  if (!edit && !move) return;
  const done = move && (await renameOrMove(ctx, move));
  if (edit) await applyEdit(ctx, message, edit, done?.move_id);
  await emitUpdates(ctx, message, { edit, done, params });
}

/** Returns the message, with its topic and the destination topic locked against other changes. */
async function requireLocked(ctx: Ctx, { message_id, topic, stream_id }: UpdateMessageParams): Promise<SeenMessage> {
  const seen = await requireMessage(ctx, message_id);
  const moves = topic !== undefined || stream_id !== undefined;
  const there = moves ? await targetTopicId(ctx, seen, topic, stream_id) : undefined;
  if (seen.topic_id !== null) await lockTopics(ctx.db, ctx.realm.id, [seen.topic_id, ...(there ?? [])]);
  if (!moves) await lockConversations(ctx.db, ctx.realm.id, [seen.conversation_id]);
  const message = await requireMessage(ctx, message_id);
  if (message.topic_id !== seen.topic_id) abortAndRetry('Another request moved the message meanwhile.');
  return message;
}

async function targetTopicId(ctx: Ctx, seen: SeenMessage, topic?: string, stream_id?: number): Promise<number[]> {
  const found = await findTopic(
    ctx.db,
    ctx.realm.id,
    stream_id ?? seen.conversation_id,
    topic?.trim() ?? seen.topic ?? '',
  );
  return found ? [found.id] : [];
}

function requireTopicPolicy(ctx: Ctx, { topic }: MessageUpdate): void {
  const { edit_topic_policy, waiting_period_threshold } = ctx.realm.settings;
  const facts = { waiting_period_threshold, now: ctx.now };
  if (topic === undefined || canUnderPolicy(edit_topic_policy, ctx.me, facts)) return;
  failForbidden('topic: you do not have permission to change topics.');
}

async function requireMove(
  ctx: Ctx,
  message: SeenMessage,
  change: MessageUpdate,
  params: UpdateMessageParams,
): Promise<MovePlan | undefined> {
  const { topic, stream_id } = change;
  if ((topic === undefined && stream_id === undefined) || message.topic === null || message.topic_id === null)
    return undefined;
  const from = await findStreamById(ctx, message.conversation_id);
  if (!from) return abortAndRetry('Another request archived the stream meanwhile.');
  const to = stream_id === undefined ? from : await requireNewStream(ctx, stream_id);
  const move: MovePlan = {
    message_id: message.id,
    mode: isSameTopic(message.topic, change) ? 'change_all' : params.propagate_mode,
    change,
    from: { stream: from, topic: message.topic, topic_id: message.topic_id },
    to: { stream: to, topic: topic ?? message.topic },
  };
  await requireMovable(ctx, move);
  return move;
}

/** A topic has one name: a change of its case applies to all of its messages, whatever the propagation mode. */
const isSameTopic = (before: string, { topic = before, stream_id }: MessageUpdate): boolean =>
  stream_id === undefined && topicKey(topic) === topicKey(before);

/** Returns the destination stream, if the caller can move messages there (check 12). */
async function requireNewStream(ctx: Ctx, stream_id: number): Promise<SeenStream> {
  const { move_messages_between_streams_policy, waiting_period_threshold } = ctx.realm.settings;
  const facts = { waiting_period_threshold, now: ctx.now };
  if (!canUnderPolicy(move_messages_between_streams_policy, ctx.me, facts))
    failForbidden('stream_id: you do not have permission to move messages between streams.');
  return requireTarget(ctx, stream_id);
}

interface UpdateOutcome {
  readonly edit: PreparedEdit | undefined;
  readonly done: MoveDone | undefined;
  readonly params: UpdateMessageParams;
}

async function emitUpdates(ctx: Ctx, message: SeenMessage, { edit, done, params }: UpdateOutcome): Promise<void> {
  await emitUpdated(ctx, message, edit, done);
  if (!done) return;
  await notifyMoved(ctx, done, {
    with_content: edit !== undefined,
    to_old: params.send_notification_to_old_thread,
    to_new: params.send_notification_to_new_thread,
  });
}
