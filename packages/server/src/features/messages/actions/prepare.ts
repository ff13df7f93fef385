// Messages to one stream that share a transaction (docs/adr/0056).
import { sendTogether } from '@parley/db';
import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx } from '../../../core/context.ts';
import type { PreparedRequests, SharedRequest } from '../../../core/handler.ts';
import { requireValue } from '../../../core/require-value.ts';
import { createBriefYield } from '../../../core/slices.ts';
import { abortAndRetry } from '../../../core/transaction.ts';
import { findAndLockStream, lockStream } from '../../streams/index.ts';
import type { PostContext } from '../queries/post-context.ts';
import { parseStreamTarget } from '../rules/send.ts';
import { changesNoPolicy } from './automatic.ts';
import { draftStreamPost, type StreamDraft, toValidPost } from './check.ts';
import { allocateForAll, findContextAgain, type UnplacedPost } from './post.ts';
import { readFor, type SendMessageParams, sendNumbered } from './send.ts';

interface Draft {
  readonly ctx: Ctx<CollectionLimiting>;
  readonly params: SendMessageParams;
  readonly draft: StreamDraft;
  readonly post: Omit<UnplacedPost, 'stream_id'>;
}

type Drafts = readonly [Draft, ...Draft[]];

/**
 * Reserves the numbers of messages to one stream, and reads what they depend on, in one statement. Undefined if one of them may have an
 * error, or must be read after those before it are written.
 */
export async function prepareMessages(
  requests: readonly SharedRequest<'sendMessage'>[],
): Promise<PreparedRequests<'sendMessage'> | undefined> {
  const drafts: Draft[] = [];
  // A long text of formulas takes a tenth of a second.
  const yieldIfDue = createBriefYield();
  for (const { ctx, params } of requests) {
    await yieldIfDue();
    const draft = await draftStreamPost(ctx, params);
    const valid = toValidPost(draft);
    if (!valid || valid.text.topic_wildcard) return undefined;
    drafts.push({ ctx, params, draft, post: { ...valid, read_for: readFor(ctx, params) } });
  }
  const [first, ...others] = drafts;
  if (!first) return undefined;
  const contexts = await lockAndAllocate([first, ...others]);
  if (contexts.length < drafts.length) return undefined;
  const numbered = drafts.map((draft, n) => ({ ...draft, context: requireValue(contexts[n]) }));
  const areIndependent = numbered.every(changesNothing);
  const handlers = numbered.map((one, n) => async () => {
    const context = areIndependent || n === 0 ? one.context : await readAgain(one, one.context);
    return sendNumbered(one.ctx, { ...one, context });
  });
  return { handlers, areIndependent };
}

/** Locks the stream, which all of them name in the same way. Empty if there is none. */
async function lockAndAllocate(drafts: Drafts): Promise<PostContext[]> {
  const [{ ctx, params }] = drafts;
  const target = parseStreamTarget(params.to);
  if (typeof target === 'number') {
    const lock = () => lockStream(ctx.db, ctx.realm.id, target);
    const [, contexts] = await sendTogether(ctx.db, lock, () => allocateForAll(toStream(target, drafts)));
    return contexts;
  }
  const stream = target === undefined ? undefined : await findAndLockStream(ctx, target);
  if (!stream) return [];
  const contexts = await allocateForAll(toStream(stream.id, drafts));
  // The stream was read before the wait for its lock.
  if (contexts.some((context) => context.stream.name !== stream.name))
    abortAndRetry('Another request renamed the stream meanwhile.');
  return contexts;
}

const toStream = (stream_id: number, [first, ...others]: Drafts) => {
  const assign = ({ ctx, post }: Draft) => ({ ctx, post: { ...post, stream_id } });
  return [assign(first), ...others.map(assign)] as const;
};

/** Whether what the other messages depend on stays the same when this one is sent. */
const changesNothing = ({ ctx, post, context }: Draft & { readonly context: PostContext }): boolean =>
  context.topic !== null &&
  !context.sender.topic_is_empty &&
  context.stream.first_message_id !== null &&
  changesNoPolicy(ctx, { sender: context.sender, mentioned: post.text.mentioned_users });

const readAgain = async ({ ctx, post }: Draft, { stream, ...numbers }: PostContext): Promise<PostContext> =>
  (await findContextAgain(ctx, { ...post, stream_id: stream.id }, numbers)) ??
  abortAndRetry('Another request archived the stream meanwhile.');
