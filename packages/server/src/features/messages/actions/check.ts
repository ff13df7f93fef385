import type { Ctx } from '../../../core/context.ts';
import type { Params } from '../../../core/contract.ts';
import { ApiError, failForbidden, failInvalid } from '../../../core/errors.ts';
import type { PostContext } from '../queries/post-context.ts';
import { isOnlyWithBots, NO_TOPIC, parseDirectTargets, topicProblem } from '../rules/send.ts';
import { type Composed, compose, requireContent, requireGroupMentions } from './compose.ts';
import { findParticipants, requireWildcardMentions, type UnplacedPost } from './post.ts';
import { type Postable, requireMembers, requirePostable } from './recipients.ts';

/** The content and destination of a message, without the time and the client of sending. */
export type MessageParams = Pick<Params<'sendMessage'>, 'type' | 'to' | 'content' | 'topic'>;

/** A message that can be sent, as it would be sent now. `topic` is null for a direct message. */
export interface CheckedMessage {
  readonly topic: string | null;
  readonly text: Composed;
}

/** Runs all checks of sending, and sends nothing. */
export async function requireSendable(ctx: Ctx, params: MessageParams): Promise<CheckedMessage> {
  if (params.type !== 'stream') return { topic: null, text: (await requireDirect(ctx, params)).text };
  const { stream, topic, text } = await requireStreamPost(ctx, params);
  await requireWildcardMentions(
    ctx,
    stream,
    text,
    text.topic_wildcard ? await findParticipants(ctx, stream.id, topic) : null,
  );
  return { topic, text };
}

/** A message to a stream before it is known whether it can be sent there. */
export interface StreamDraft {
  readonly topic: string;
  /** What is wrong with the topic. */
  readonly wrong: string | undefined;
  /** The rendered text, or the error response if it cannot be sent. */
  readonly text: Composed | ApiError;
}

/** Renders a message to a stream. */
export async function draftStreamPost(ctx: Ctx, params: MessageParams): Promise<StreamDraft> {
  const text = await settle(async () => requireText(ctx, requireContent(params.content)));
  const topic = (params.topic ?? NO_TOPIC).trim();
  return { topic, text, wrong: topicProblem(topic, { mandatory: ctx.realm.settings.mandatory_topics }) };
}

/** The part of a draft that is sent; undefined if it cannot be. */
export const toValidPost = ({ topic, text, wrong }: StreamDraft): Pick<UnplacedPost, 'topic' | 'text'> | undefined =>
  text instanceof ApiError || wrong !== undefined ? undefined : { topic, text };

/** Finds the stream of a message, and reserves a number for the message if it can. */
export type FindPostable = (
  ctx: Ctx,
  to: MessageParams['to'],
  draft: StreamDraft,
) => Promise<Postable & { readonly context?: PostContext | undefined }>;

/**
 * A message to a stream, checked except for wildcard mentions: these depend on the subscribers at the time of sending.
 */
export async function requireStreamPost(
  ctx: Ctx,
  params: MessageParams,
  find: FindPostable = requirePostable,
  // The text is rendered before the stream is locked. Errors of the text are reported after errors of the stream.
  drafted?: StreamDraft,
) {
  const draft = drafted ?? (await draftStreamPost(ctx, params));
  const { topic, text, wrong } = draft;
  const { stream, problem, context } = await find(ctx, params.to, draft);
  if (text instanceof ApiError) requireContent(params.content);
  if (wrong !== undefined) failInvalid(wrong);
  if (problem !== undefined) failForbidden(problem);
  if (text instanceof ApiError) throw text;
  return { stream, topic, text, context };
}

export async function requireDirect(ctx: Ctx, params: MessageParams) {
  const members = await requireMembers(ctx, parseDirectTargets(params.to));
  const content = requireContent(params.content);
  if (ctx.realm.settings.private_message_policy === 2 && !isOnlyWithBots(ctx.me, members)) {
    failForbidden('Direct messages are disabled in this organization.');
  }
  return { members, text: await requireText(ctx, content) };
}

/** Returns the result, or the error response that the request would end with. */
async function settle<T>(work: () => Promise<T>): Promise<T | ApiError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

async function requireText(ctx: Ctx, content: string): Promise<Composed> {
  const [text] = await compose(ctx, [content]);
  if (!text) throw new Error('unreachable');
  await requireGroupMentions(ctx, text);
  return text;
}
