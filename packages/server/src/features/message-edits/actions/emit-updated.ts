import { hasProtectedHistory } from '../../../access/rules.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Event } from '../../../core/contract.ts';
import type { EventLists } from '../../../core/event-log/append-sql.ts';
import type { Audience } from '../../../core/event-log/audience.ts';
import type { EventDeliveryMetadata } from '../../../core/event-log/delivery-metadata.ts';
import { listTopicLinks } from '../../../text/markdown.ts';
import { listCompiledLinkifiers } from '../../linkifiers/index.ts';
import { listParticipantsOf, type SeenMessage, sendAsNotificationBot } from '../../messages/index.ts';
import {
  getMessageUrl,
  OTHER_STREAM,
  renderMovedAwayNotice,
  renderMovedHereNotice,
  renderResolvedNotice,
  renderTopicLink,
} from '../notices.ts';
import { RENDERING_VERSION } from '../rules/history.ts';
import { getResolution, isOnlyResolution } from '../rules/update.ts';
import type { PreparedEdit } from './edit.ts';
import type { StreamMove } from './move-messages.ts';
import { putFirst, toEventLists } from './move-plan.ts';
import type { MoveDone } from './rename-or-move.ts';

type Update = Extract<Event, { type: 'update_message' }>;

/**
 * Emits the update to users who have the message and to its stream. Users who can no longer read it get
 * `delete_message`.
 */
export async function emitUpdated(
  ctx: Ctx,
  message: SeenMessage,
  edit: PreparedEdit | undefined,
  done: MoveDone | undefined,
): Promise<void> {
  const { message_ids, seqs } = listed(message, done);
  const event: Update = {
    type: 'update_message',
    user_id: ctx.me.id,
    edit_timestamp: Math.floor(ctx.now.getTime() / 1000),
    message_id: message.id,
    message_ids: [...message_ids],
    // The flags of each user are looked up when the event is delivered.
    flags: [],
    rendering_only: false,
    ...(message.stream_name !== null && { stream_id: message.conversation_id, stream_name: message.stream_name }),
    ...(edit && contentOf(message, edit)),
    ...(done && presentMove(message, done)),
    ...(done && (await newTopicOf(ctx, done))),
  };
  const left = done?.left?.from;
  ctx.emit(
    event,
    { message: { id: message.id, ...(left && { left }) } },
    done && toDeliveryMetadata(done, seqs, done.ahead?.update),
  );
  if (done?.left) emitLost(ctx, done, done.left, { message_ids, seqs });
}

/** The messages that an event lists, without those that were prewritten. */
function listed({ id }: SeenMessage, done: MoveDone | undefined): EventLists {
  if (!done?.moved) return { message_ids: [id], seqs: [] };
  const { moved, ahead } = done;
  return toEventLists(done, ahead ? moved.slice(ahead.count) : putFirst(id, moved));
}

function contentOf(message: SeenMessage, { text }: PreparedEdit): Partial<Update> {
  return {
    orig_content: message.content,
    orig_rendered_content: message.rendered_content,
    content: text.content,
    rendered_content: text.html,
    prev_rendered_content_version: RENDERING_VERSION,
    is_me_message: text.is_me_message,
  };
}

function presentMove(message: SeenMessage, { mode, change }: MoveDone): Partial<Update> {
  return {
    orig_subject: message.topic ?? '',
    propagate_mode: mode,
    ...(change.stream_id !== undefined && { new_stream_id: change.stream_id }),
  };
}

/** The other stream can have the topic in another case. */
async function newTopicOf(ctx: Ctx, { topic, from }: MoveDone): Promise<Partial<Update>> {
  if (topic.name === from.topic) return {};
  return { subject: topic.name, topic_links: listTopicLinks(topic.name, await listCompiledLinkifiers(ctx)) };
}

/**
 * Selects the messages of the event in the cheapest way: those of a renamed topic are looked up when the event is
 * delivered.
 */
function toDeliveryMetadata(
  { from, moved, topic, up_to, left }: MoveDone,
  of: readonly number[],
  ahead?: number,
): EventDeliveryMetadata {
  if (!moved) return { topic: { id: topic.id, up_to } };
  const is_protected = hasProtectedHistory(from.stream);
  const hasLeft = left !== undefined;
  const lists = ahead === undefined ? {} : { ahead };
  if (!is_protected && !hasLeft) return lists;
  const individualAccess = left && left.lost_individual_access.length > 0 ? { kept: left.lost_individual_access } : {};
  return {
    ...lists,
    seqs: { conversation_id: from.stream.id, of, is_protected, are_gone: hasLeft, ...individualAccess },
  };
}

function emitLost(
  ctx: Ctx,
  done: MoveDone,
  { from: was, to, individual_readers }: StreamMove,
  { message_ids, seqs }: EventLists,
): void {
  const audience: Audience = { lost: { message_id: done.message_id, from: was, to }, users: individual_readers };
  const { from } = done;
  ctx.emit(
    {
      type: 'delete_message',
      message_type: 'stream',
      message_ids: [...message_ids],
      stream_id: from.stream.id,
      topic: from.topic,
    },
    audience,
    toDeliveryMetadata(done, seqs, done.ahead?.loss),
  );
}

interface MoveNoticeOptions {
  /** Whether the content changed in the same request. */
  readonly with_content: boolean;
  readonly to_old: boolean;
  readonly to_new: boolean;
}

type Thread = Parameters<typeof renderTopicLink>[1] & { readonly stream: { readonly invite_only: boolean } };

/**
 * The notices of the Notification Bot about a move, in the old topic and in the new one
 * (docs/behaviour/messages.md#notices-of-moves).
 */
export async function notifyMoved(
  ctx: Ctx,
  done: MoveDone,
  { with_content, to_old, to_new }: MoveNoticeOptions,
): Promise<void> {
  const { from, to, topic, change } = done;
  const state = with_content ? undefined : getResolution(from.topic, topic.name);
  if (state) await notifyResolved(ctx, done, state);
  // The name in the request, or the name that the topic already has there.
  const isOnlyResolved = [to.topic, topic.name].some((name) => isOnlyResolution(from.topic, name));
  if (state && change.stream_id === undefined && isOnlyResolved) return;
  const there = { stream: to.stream, topic: topic.name };
  const here = { stream: from.stream, topic: from.topic };
  const url = ctx.realm.url;
  const count = done.moved?.length ?? 1;
  const facts = { count, whole: done.whole };
  // Readers of one topic do not necessarily see the stream of the other.
  const name = (thread: Thread) =>
    thread.stream.invite_only && here.stream.id !== there.stream.id ? OTHER_STREAM : renderTopicLink(url, thread);
  if (to_new) {
    const message = getMessageUrl(url, there, done.message_id);
    const content = renderMovedHereNotice(ctx.me, { ...facts, was_empty: done.was_empty, message }, name(here));
    await sendAsNotificationBot(ctx, { stream_id: to.stream.id, topic: topic.name, content });
  }
  if (to_old) {
    const content = renderMovedAwayNotice(ctx.me, facts, name(there));
    await sendAsNotificationBot(ctx, { stream_id: from.stream.id, topic: from.topic, content });
  }
}

async function notifyResolved(ctx: Ctx, done: MoveDone, state: 'resolved' | 'unresolved'): Promise<void> {
  const ids = done.moved?.map(({ id }) => id);
  await sendAsNotificationBot(ctx, {
    stream_id: done.to.stream.id,
    topic: done.topic.name,
    content: renderResolvedNotice(ctx.me, state),
    unread_only_for: await listParticipantsOf(ctx.db, ctx.realm.id, done.topic.id, ids),
  });
}
