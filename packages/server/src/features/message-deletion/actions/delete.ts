import { hasProtectedHistory } from '../../../access/rules.ts';
import type { Ctx, PublicCtx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { failOnProblem } from '../../../core/errors.ts';
import { bounds } from '../../../core/limits.ts';
import type { Batching, Transactions } from '../../../core/server.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { findNewestInTopic, writeTopicEventLists } from '../../message-edits/index.ts';
import { lockConversations, lockTopics, requireMessage, type SeenMessage } from '../../messages/index.ts';
import { requireReadableStream, type SeenStream } from '../../streams/index.ts';
import { findTopic, type Topic } from '../../topics/index.ts';
import { tellUploadsUpdated } from '../../uploads/index.ts';
import { listUsersByIds } from '../../users/index.ts';
import { type DeletedMessage, deleteMessages, listNewest } from '../queries/delete.ts';
import { deletionProblem } from '../rules/delete.ts';

/** Deletes one message for all users. */
export async function deleteMessage(ctx: Ctx, message_id: number): Promise<void> {
  const seen = await requireMessage(ctx, message_id);
  if (seen.topic_id !== null) await lockTopics(ctx.db, ctx.realm.id, [seen.topic_id]);
  await lockConversations(ctx.db, ctx.realm.id, [seen.conversation_id]);
  const message = await requireMessage(ctx, message_id);
  if (message.topic_id !== seen.topic_id) abortAndRetry('Another request moved the message meanwhile.');
  const [sender] = await listUsersByIds(ctx.db, ctx.realm.id, [message.sender.id]);
  const { delete_own_message_policy, message_content_delete_limit_seconds, waiting_period_threshold } =
    ctx.realm.settings;
  const problem = deletionProblem(ctx.me, message, {
    owner_id: sender?.bot_owner_id ?? null,
    policy: delete_own_message_policy,
    limit: message_content_delete_limit_seconds,
    policy_facts: { waiting_period_threshold, now: ctx.now },
  });
  failOnProblem(problem);
  if (message.topic_id !== null) await writeTopicEventLists(ctx.db, ctx.realm.id, [message.topic_id]);
  const deleted = await deleteMessages(ctx.db, ctx.realm.id, [message.id]);
  for (const one of deleted) await emitDeleted(ctx, one, toMessageLocation(message));
}

/** The former location of deleted messages. */
interface MessageLocation {
  readonly conversation_id: number;
  /** Null in direct conversations. */
  readonly topic: string | null;
  readonly isProtected: boolean;
}

const toMessageLocation = ({ conversation_id, topic, is_protected }: SeenMessage): MessageLocation => ({
  conversation_id,
  topic,
  isProtected: is_protected,
});

/**
 * Emits one event to all users who can read the conversation. Users who can read only single messages of it get an
 * event with these ids alone.
 */
export async function emitDeleted(
  ctx: PublicCtx,
  { ids, seqs, individual_readers, apart, uploads }: DeletedMessage,
  { conversation_id, topic, isProtected }: MessageLocation,
): Promise<void> {
  const where = topic === null ? {} : { stream_id: conversation_id, topic };
  const message_type = topic === null ? 'private' : 'stream';
  ctx.emit(
    { type: 'delete_message', message_type, message_ids: ids, ...where },
    { conversation: { id: conversation_id }, users: individual_readers },
    { seqs: { conversation_id, of: seqs, is_protected: isProtected, are_gone: true } },
  );
  for (const { ids: message_ids, user_ids: users } of apart)
    ctx.emit({ type: 'delete_message', message_type, message_ids }, { users });
  await tellUploadsUpdated(ctx, uploads);
}

/**
 * Deletes a topic, the newest messages first. Each batch is a transaction of its own, so that other requests wait for
 * at most one batch. Messages that are sent to the topic meanwhile stay.
 */
export async function deleteTopic(
  ctx: Ctx<Batching & Transactions>,
  { stream_id, topic_name }: Params<'deleteTopic'>,
): Promise<{ complete: boolean }> {
  const stream = await requireReadableStream(ctx, stream_id);
  const topic = await findTopic(ctx.db, ctx.realm.id, stream.id, topic_name.trim());
  const newest = topic && (await findNewestInTopic(ctx.db, ctx.realm.id, topic.id));
  if (!topic || newest === undefined) return { complete: true };
  const deadline = performance.now() + ctx.server.budget;
  let from: number = newest;
  for (;;) {
    const since = performance.now();
    const left = await ctx.server.inTransaction(ctx, (batch) => deleteBatch(batch, stream, topic, from));
    if (left === undefined || performance.now() >= deadline) return { complete: left === undefined };
    from = left;
    await ctx.server.throttle(since);
  }
}

/**
 * Deletes the newest messages up to that id, and returns the newest id that is left, if any. The next batch starts
 * there: it need not skip the deleted entries that the index still has.
 */
async function deleteBatch(
  ctx: Ctx,
  { id }: SeenStream,
  { id: topic_id }: Topic,
  newest: number,
): Promise<number | undefined> {
  await lockTopics(ctx.db, ctx.realm.id, [topic_id]);
  await lockConversations(ctx.db, ctx.realm.id, [id]);
  const stream = await requireReadableStream(ctx, id);
  const topicMessages = { conversation_id: id, topic_id, newest };
  const { ids, topic } = await listNewest(ctx.db, ctx.me, topicMessages, bounds.deletion_batch + 1);
  if (ids.length === 0) return undefined;
  await writeTopicEventLists(ctx.db, ctx.realm.id, [topic_id]);
  const deleted = await deleteMessages(ctx.db, ctx.realm.id, ids.slice(0, bounds.deletion_batch));
  for (const one of deleted)
    await emitDeleted(ctx, one, { conversation_id: id, topic, isProtected: hasProtectedHistory(stream) });
  return ids[bounds.deletion_batch];
}
