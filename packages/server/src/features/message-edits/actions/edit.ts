import type { Ctx } from '../../../core/context.ts';
import { failConflict, failInvalid, failLimitReached } from '../../../core/errors.ts';
import { bounds } from '../../../core/limits.ts';
import {
  type Composed,
  compose,
  contentProblem,
  listAlertedUsers,
  listAlertPieces,
  listParticipants,
  listWatchedWordsOfHolders,
  requireGroupMentions,
  requireWildcardMentions,
  type SeenMessage,
} from '../../messages/index.ts';
import { findStreamById } from '../../streams/index.ts';
import { relinkUploads } from '../../uploads/index.ts';
import { countEdits } from '../queries/history.ts';
import { listHoldersAmong, replaceFlags, updateContent } from '../queries/update.ts';
import { canEditContent } from '../rules/update.ts';

/** A new text that the author can give the message. */
export interface PreparedEdit {
  readonly text: Composed;
  /** The participants of the topic, if the text has a topic wildcard mention. */
  readonly participants: readonly number[] | null;
}

/**
 * Checks 10 and 11 of docs/behaviour/messages.md#order-of-checks-when-editing: the time limit, the length, and the
 * mentions that the author cannot use.
 */
export async function requireEdit(ctx: Ctx, message: SeenMessage, content: string): Promise<PreparedEdit> {
  const { message_content_edit_limit_seconds: limit } = ctx.realm.settings;
  if (!canEditContent(ctx.me, limit, message.sent_at, ctx.now))
    failConflict('content: the time limit for editing this message has passed.');
  // The first edit of a message does not need the count of edits.
  const versions = message.last_edit_at === null ? 0 : await countEdits(ctx.db, ctx.realm.id, message.id);
  if (versions >= bounds.message_versions)
    failLimitReached(`content: a message can be edited at most ${bounds.message_versions} times.`);
  const problem = contentProblem(content);
  if (problem !== undefined) failInvalid(problem);
  const [text] = await compose(ctx, [content]);
  if (!text) throw new Error('unreachable');
  const participants =
    text.topic_wildcard && message.topic_id !== null ? await listParticipants(ctx, { id: message.topic_id }) : null;
  const stream = message.topic_id === null ? undefined : await findStreamById(ctx, message.conversation_id);
  if (stream) await requireWildcardMentions(ctx, stream, text, participants);
  await requireGroupMentions(ctx, text);
  return { text: stream ? text : { ...text, stream_wildcard: false }, participants };
}

/**
 * Stores the new text of the message. Mentions and alert words are computed again for all users who have the message,
 * subscribed or not.
 */
export async function applyEdit(
  ctx: Ctx,
  message: SeenMessage,
  { text, participants }: PreparedEdit,
  move_id?: number,
): Promise<void> {
  const realm_id = ctx.realm.id;
  const holders = participants && (await listHoldersAmong(ctx.db, realm_id, message.id, participants));
  await updateContent(ctx.db, {
    realm_id,
    message_id: message.id,
    user_id: ctx.me.id,
    now: ctx.now,
    text,
    topic_wildcard_user_ids: holders,
    move_id,
  });
  const watching = await listWatchedWordsOfHolders(ctx.db, realm_id, message.id, listAlertPieces([text]));
  await replaceFlags(ctx.db, realm_id, message.id, {
    mentioned: [...new Set([...text.mentioned_users, ...text.group_member_ids])],
    alerted: [...listAlertedUsers(text, watching)],
  });
  if (message.has_attachment || text.uploads.length > 0) await relinkUploads(ctx, message.id, text.uploads);
}
