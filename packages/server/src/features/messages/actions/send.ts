import { sendTogether } from '@parley/db';
import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { findAndLockStream, lockStream } from '../../streams/index.ts';
import type { PostContext } from '../queries/post-context.ts';
import { hasQueue } from '../queries/send.ts';
import { getClientName, isReadFromStart } from '../rules/send.ts';
import type { SendContext } from './append.ts';
import { followTopicAfterSending } from './automatic.ts';
import { requireDirect, requireStreamPost, type StreamDraft, toValidPost } from './check.ts';
import { allocateFor, postDirect, postToStream, type StreamPost, type UnplacedPost } from './post.ts';
import { requirePostableBy } from './recipients.ts';

type Sent = Payload<'sendMessage'>;
export type SendMessageParams = Params<'sendMessage'>;

/** Sends a message to a stream or to users. Nothing changes unless all of it is permitted. */
export async function sendMessage(ctx: Ctx<CollectionLimiting>, params: SendMessageParams): Promise<Sent> {
  return params.type === 'stream' ? sendToStream(ctx, params) : sendDirect(ctx, params);
}

async function sendToStream(ctx: Ctx<CollectionLimiting>, params: SendMessageParams): Promise<Sent> {
  const sending = await sendingOf(ctx, params);
  const read_for = readFor(ctx, params);
  const post = await requireStreamPost(ctx, params, (_, to, draft) => {
    const valid = toValidPost(draft);
    return lockPostable(ctx, to, valid && { ...valid, read_for });
  });
  return finish(ctx, { ...post, read_for, ...sending });
}

async function finish(ctx: Ctx<CollectionLimiting>, post: StreamPost): Promise<Sent> {
  const posted = await postToStream(ctx, post);
  const policy = await followTopicAfterSending(ctx, post.stream.id, posted);
  return { id: posted.id, ...(policy !== undefined && { automatic_new_visibility_policy: policy }) };
}

/**
 * The stream of a message, locked until the commit. Where the request has the id of the stream, a number is reserved for the message
 * in the same round trip; otherwise the stream is as it was before the wait for the lock.
 */
async function lockPostable(ctx: Ctx, to: SendMessageParams['to'], post: Omit<UnplacedPost, 'stream_id'> | undefined) {
  let context: PostContext | undefined;
  const postable = await requirePostableBy(ctx, to, async (_, target) => {
    // Who is mentioned by a wildcard of the topic is read after the lock.
    if (!post || post.text.topic_wildcard || typeof target === 'string') return findAndLockStream(ctx, target);
    const lock = () => lockStream(ctx.db, ctx.realm.id, target);
    const allocate = () => allocateFor(ctx, { ...post, stream_id: target }, null);
    [, context] = await sendTogether(ctx.db, lock, allocate);
    return context?.stream;
  });
  return { ...postable, context };
}

/** A message whose number is reserved. */
export interface NumberedPost {
  readonly params: SendMessageParams;
  readonly draft: StreamDraft;
  readonly context: PostContext;
}

/** Sends a message whose number was reserved together with those of others. */
export async function sendNumbered(
  ctx: Ctx<CollectionLimiting>,
  { params, draft, context }: NumberedPost,
): Promise<Sent> {
  const sending = await sendingOf(ctx, params);
  const find = async () => ({ ...(await requirePostableBy(ctx, params.to, async () => context.stream)), context });
  const post = await requireStreamPost(ctx, params, find, draft);
  return finish(ctx, { ...post, read_for: readFor(ctx, params), ...sending });
}

async function sendDirect(ctx: Ctx, params: SendMessageParams): Promise<Sent> {
  const post = await requireDirect(ctx, params);
  const sending = await sendingOf(ctx, params);
  const [id] = await postDirect(ctx, [{ ...post, read_for: readFor(ctx, params) }], sending);
  if (id === undefined) throw new Error('Sending returned no message id.');
  return { id };
}

async function sendingOf(ctx: Ctx, params: SendMessageParams): Promise<SendContext> {
  const { queue_id, local_id } = params;
  const client = getClientName(params, ctx.client);
  if (queue_id === undefined || local_id === undefined) return { client };
  // The queue must belong to the caller: a local id has no meaning in the queues of other users.
  if (!(await hasQueue(ctx.db, ctx.realm.id, ctx.me.id, queue_id))) return { client };
  return { client, local: { queue_id, message_id: local_id } };
}

/** The sender, if the message starts as read for them. */
export const readFor = (ctx: Ctx, params: SendMessageParams): number[] =>
  (params.read_by_sender ?? isReadFromStart(getClientName(params, ctx.client))) ? [ctx.me.id] : [];
