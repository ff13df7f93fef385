import type { Ctx } from '../../../core/context.ts';
import { fail } from '../../../core/errors.ts';
import { bounds } from '../../../core/limits.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { withGuestVisibilityEvents } from '../../guest-visibility/index.ts';
import { canMentionEveryone } from '../../realm/index.ts';
import type { PostableStream } from '../../streams/index.ts';
import { findTopic, insertTopic, type Topic } from '../../topics/index.ts';
import type { MessageUser } from '../present.ts';
import { allocateDirect } from '../queries/direct.ts';
import { countSubscribers, listParticipantIds } from '../queries/mentions.ts';
import {
  allocateInStream,
  findPostContext,
  type PostContext,
  type PostContextOptions,
  type PostNumbers,
  type SenderContext,
} from '../queries/post-context.ts';
import { updateFirstMessage } from '../queries/send.ts';
import { listAlertedUsers, listAlertPieces, type WatchedWord } from '../rules/alerts.ts';
import type { RecipientFlags } from '../rules/flags.ts';
import { append, type PlacedMessage, type SendContext } from './append.ts';
import type { Composed } from './compose.ts';

type AtLeastOne<Item> = readonly [Item, ...Item[]];

export interface StreamPost extends SendContext {
  /** Locked by an earlier statement of the transaction. */
  readonly stream: PostableStream;
  readonly topic: string;
  readonly text: Composed;
  /** Recipients for whom it starts as read. */
  readonly read_for: readonly number[];
  /** If present, it starts as read for all recipients except these. */
  readonly unread_only_for?: readonly number[] | undefined;
  /** What was read and reserved for it already. */
  readonly context?: PostContext | undefined;
}

export interface Posted {
  readonly id: number;
  readonly topic: Topic;
  /** The recipients who are mentioned by name. */
  readonly mentioned: readonly number[];
  readonly sender: SenderContext;
}

/** Sends a message of `ctx.me` to a stream. The lock of the stream orders it with the others. */
export async function postToStream(ctx: Ctx, post: StreamPost): Promise<Posted> {
  const { stream, text } = post;
  const realm_id = ctx.realm.id;
  const participants = text.topic_wildcard ? await findParticipants(ctx, stream.id, post.topic) : null;
  const context = post.context ?? (await allocateFor(ctx, { ...post, stream_id: stream.id }, participants));
  // The permissions of the sender may have been checked for the stream as it was before the lock. If it has changed since,
  // they are checked again.
  if (!context || !isUnchanged(stream, context.stream)) abortAndRetry('Another request changed the stream meanwhile.');
  await requireWildcardMentions(ctx, stream, text, participants);
  const topic = context.topic ?? (await createTopic(ctx, stream.id, post.topic));
  const concerned = concernedBy(post, participants, context);
  const topic_wildcard_user_ids = participants && [...concerned.topic_wildcard];
  const { message_id: id, seq } = context;
  const placed = {
    id,
    conversation_id: stream.id,
    seq,
    stream,
    topic,
    text,
    participants: [],
    concerned,
    topic_wildcard_user_ids,
  };
  await append(ctx, [placed], post);
  if (stream.first_message_id === null) await updateFirstMessage(ctx.db, realm_id, stream.id, id);
  const mentioned = text.mentioned_users.filter((one) => concerned.mentioned.has(one));
  return { id, topic, sender: context.sender, mentioned };
}

/**
 * Creates a topic. If another request creates it first by setting a policy for it, the transaction is retried with a
 * new context.
 */
async function createTopic(ctx: Ctx, stream_id: number, name: string): Promise<Topic> {
  return (
    (await insertTopic(ctx.db, ctx.realm.id, stream_id, name)) ??
    abortAndRetry('Another request created the topic meanwhile.')
  );
}

/** A message to a stream of which only the id is known, before it has a number. */
export type UnplacedPost = Pick<StreamPost, 'topic' | 'text' | 'read_for' | 'unread_only_for'> & {
  readonly stream_id: number;
};

/** Reserves a number for the message, and reads what it depends on. Undefined if there is no such stream. */
export async function allocateFor(
  ctx: Ctx,
  post: UnplacedPost,
  participants: readonly number[] | null,
): Promise<PostContext | undefined> {
  const [context] = await allocateInStream(ctx.db, contextOptions([{ ctx, post }], participants));
  return context;
}

/** A message and its sender. */
interface SentPost {
  readonly ctx: Ctx;
  readonly post: UnplacedPost;
}

/** The same for messages to one stream, each with a sender of its own. Empty if there is no such stream. */
export const allocateForAll = (sent: AtLeastOne<SentPost>): Promise<PostContext[]> =>
  allocateInStream(sent[0].ctx.db, contextOptions(sent, null));

/** Reads again what a message depends on: one before it, in the same transaction, may have changed that. */
export const findContextAgain = (
  ctx: Ctx,
  post: UnplacedPost,
  numbers: PostNumbers,
): Promise<PostContext | undefined> => findPostContext(ctx.db, contextOptions([{ ctx, post }], null), numbers);

function contextOptions(sent: AtLeastOne<SentPost>, participants: readonly number[] | null): PostContextOptions {
  const [{ ctx, post }] = sent;
  return {
    stream: { realm_id: ctx.realm.id, id: post.stream_id },
    posts: sent.map(({ ctx, post }) => ({ sender_id: ctx.me.id, topic: post.topic })),
    among: sent.flatMap(({ post }) => candidates(post, participants)),
    pieces: listAlertPieces(sent.map(({ post }) => post.text)),
  };
}

/** Whether nothing has changed by which the sender may post. */
const isUnchanged = (before: PostableStream, now: PostableStream): boolean =>
  before.name === now.name &&
  before.invite_only === now.invite_only &&
  before.is_web_public === now.is_web_public &&
  before.stream_post_policy === now.stream_post_policy &&
  before.subscribed === now.subscribed;

/** Users who can get flags on the message, if they are subscribed to the stream. */
const candidates = ({ text, read_for, unread_only_for = [] }: UnplacedPost, participants: readonly number[] | null) => [
  ...read_for,
  ...unread_only_for,
  ...text.mentioned_users,
  ...text.group_member_ids,
  ...(participants ?? []),
];

function concernedBy(
  { text, read_for, unread_only_for }: StreamPost,
  participants: readonly number[] | null,
  { members, watching }: PostContext,
): RecipientFlags {
  const present = new Set(members);
  const among = (ids: readonly number[]) => new Set(ids.filter((id) => present.has(id)));
  return {
    read: among(read_for),
    ...(unread_only_for && { unread_only_for: among(unread_only_for) }),
    mentioned: among([...text.mentioned_users, ...text.group_member_ids]),
    alerted: listAlertedUsers(text, watching),
    topic_wildcard: among(participants ?? []),
    stream_wildcard: text.stream_wildcard,
  };
}

/** The users who sent messages or reacted in a topic, and the sender. */
export async function listParticipants(ctx: Ctx, topic: Pick<Topic, 'id'>): Promise<number[]> {
  return [...new Set([ctx.me.id, ...(await listParticipantIds(ctx.db, ctx.realm.id, topic.id))])];
}

/** The users who sent messages or reacted in a topic that may not exist yet, and the sender. */
export async function findParticipants(ctx: Ctx, stream_id: number, name: string): Promise<number[]> {
  const topic = await findTopic(ctx.db, ctx.realm.id, stream_id, name);
  return topic ? listParticipants(ctx, topic) : [ctx.me.id];
}

/**
 * A wildcard mention that reaches more than a few users needs `wildcard_mention_policy`
 * (docs/behaviour/messages.md#wildcard-mentions).
 */
export async function requireWildcardMentions(
  ctx: Ctx,
  stream: Pick<PostableStream, 'id'>,
  text: Composed,
  participants: readonly number[] | null,
): Promise<void> {
  const { wildcard_mention_policy, waiting_period_threshold } = ctx.realm.settings;
  if (!text.stream_wildcard && !participants) return;
  const facts = { waiting_period_threshold, now: ctx.now };
  if (ctx.me.is_system_bot || canMentionEveryone(wildcard_mention_policy, ctx.me, facts)) return;
  const most = bounds.free_wildcard;
  if (text.stream_wildcard && (await countSubscribers(ctx.db, ctx.realm.id, stream.id, most + 1)) > most) {
    fail('STREAM_WILDCARD_MENTION_NOT_ALLOWED', 'You do not have permission to mention everyone in this stream.');
  }
  if (participants && participants.length > most) {
    fail('TOPIC_WILDCARD_MENTION_NOT_ALLOWED', 'You do not have permission to mention everyone in this topic.');
  }
}

export interface DirectPost {
  /** All users of the conversation, including the sender. */
  readonly members: readonly MessageUser[];
  readonly text: Composed;
  readonly read_for: readonly number[];
}

/** Sends messages of `ctx.me` to direct conversations, which are created where they do not exist yet. */
export async function postDirect(ctx: Ctx, posts: readonly DirectPost[], sending: SendContext): Promise<number[]> {
  const groups = posts.map(({ members }) => members.map(({ id }) => id));
  const pieces = listAlertPieces(posts.map(({ text }) => text));
  const allocated = await withGuestVisibilityEvents(ctx, () => allocateDirect(ctx.db, ctx.realm.id, groups, pieces));
  const placed = allocated.flatMap(({ watching, ...position }, n) => {
    const post = posts[n];
    return post ? [toPlacedMessage(post, position, watching)] : [];
  });
  await append(ctx, placed, sending);
  return placed.map(({ id }) => id);
}

function toPlacedMessage(
  { members, text, read_for }: DirectPost,
  position: Pick<PlacedMessage, 'id' | 'conversation_id' | 'seq'>,
  watching: readonly WatchedWord[],
): PlacedMessage {
  return {
    ...position,
    text,
    participants: members,
    topic_wildcard_user_ids: null,
    concerned: {
      read: new Set(read_for),
      mentioned: mentionedAmong(members, text),
      alerted: listAlertedUsers(text, watching),
      topic_wildcard: new Set<number>(),
      stream_wildcard: false,
    },
  };
}

function mentionedAmong(members: readonly MessageUser[], text: Composed): Set<number> {
  const mentioned = new Set([...text.mentioned_users, ...text.group_member_ids]);
  return new Set(members.map(({ id }) => id).filter((id) => mentioned.has(id)));
}
