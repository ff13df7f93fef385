import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { hasQueue } from '../queries/send.ts';
import { getClientName, isReadFromStart } from '../rules/send.ts';
import type { SendContext } from './append.ts';
import { followTopicAfterSending } from './automatic.ts';
import { requireDirect, requireStreamPost } from './check.ts';
import { postDirect, postToStream } from './post.ts';
import { requirePostableLocked } from './recipients.ts';

type Sent = Payload<'sendMessage'>;
type SendMessageParams = Params<'sendMessage'>;

/** Sends a message to a stream or to users. Nothing changes unless all of it is permitted. */
export async function sendMessage(ctx: Ctx<CollectionLimiting>, params: SendMessageParams): Promise<Sent> {
  return params.type === 'stream' ? sendToStream(ctx, params) : sendDirect(ctx, params);
}

async function sendToStream(ctx: Ctx<CollectionLimiting>, params: SendMessageParams): Promise<Sent> {
  const post = await requireStreamPost(ctx, params, requirePostableLocked);
  const sending = await sendingOf(ctx, params);
  const posted = await postToStream(ctx, { ...post, read_for: readFor(ctx, params, sending), ...sending });
  const policy = await followTopicAfterSending(ctx, post.stream.id, posted);
  return { id: posted.id, ...(policy !== undefined && { automatic_new_visibility_policy: policy }) };
}

async function sendDirect(ctx: Ctx, params: SendMessageParams): Promise<Sent> {
  const post = await requireDirect(ctx, params);
  const sending = await sendingOf(ctx, params);
  const [id] = await postDirect(ctx, [{ ...post, read_for: readFor(ctx, params, sending) }], sending);
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

const readFor = (ctx: Ctx, { read_by_sender }: SendMessageParams, { client }: SendContext): number[] =>
  (read_by_sender ?? isReadFromStart(client)) ? [ctx.me.id] : [];
