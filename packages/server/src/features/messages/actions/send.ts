import type { Ctx } from '../../../core/context.ts';
import type { Params, Payload } from '../../../core/contract.ts';
import { refuse } from '../../../core/errors.ts';
import { hasQueue, lockConversation } from '../queries/send.ts';
import { directTargets, isOnlyWithBots, NO_TOPIC, startsRead, topicProblem } from '../rules/send.ts';
import type { Sending } from './append.ts';
import { followAfterwards } from './automatic.ts';
import { compose, requireContent, requireMayMentionGroups } from './compose.ts';
import { postDirect, postToStream } from './post.ts';
import { requireMembers, requirePostable } from './recipients.ts';

type Sent = Payload<'sendMessage'>;
type Given = Params<'sendMessage'>;

/** Sends a message to a stream or to people. Nothing of it happens unless all of it may. */
export async function sendMessage(ctx: Ctx, given: Given): Promise<Sent> {
  return given.type === 'stream' ? sendToStream(ctx, given) : sendDirect(ctx, given);
}

async function sendToStream(ctx: Ctx, given: Given): Promise<Sent> {
  const { stream, problem } = await requireStillPostable(ctx, given.to);
  const content = requireContent(given.content);
  const topic = (given.topic ?? NO_TOPIC).trim();
  const wrong = topicProblem(topic, { mandatory: ctx.realm.settings.mandatory_topics }) ?? problem;
  if (wrong !== undefined) refuse('BAD_REQUEST', wrong);
  const text = await requireText(ctx, content);
  const sending = await sendingOf(ctx, given);
  const posted = await postToStream(ctx, { stream, topic, text, read_for: readFor(ctx, given, sending), ...sending });
  const policy = await followAfterwards(ctx, stream.id, posted);
  return { id: posted.id, ...(policy !== undefined && { automatic_new_visibility_policy: policy }) };
}

/** In a private stream whoever is being removed at this moment must not write any more: it is looked at under the lock. */
async function requireStillPostable(ctx: Ctx, to: Given['to']): ReturnType<typeof requirePostable> {
  const first = await requirePostable(ctx, to);
  if (!first.stream.invite_only) return first;
  await lockConversation(ctx.db, ctx.realm.id, first.stream.id);
  return requirePostable(ctx, to);
}

async function sendDirect(ctx: Ctx, given: Given): Promise<Sent> {
  const members = await requireMembers(ctx, directTargets(given.to));
  const content = requireContent(given.content);
  if (ctx.realm.settings.private_message_policy === 2 && !isOnlyWithBots(ctx.me, members)) {
    refuse('BAD_REQUEST', 'Direct messages are disabled in this organization.');
  }
  const text = await requireText(ctx, content);
  const sending = await sendingOf(ctx, given);
  const [id = 0] = await postDirect(ctx, [{ members, text, read_for: readFor(ctx, given, sending) }], sending);
  return { id };
}

async function requireText(ctx: Ctx, content: string) {
  const [text] = await compose(ctx, [content]);
  if (!text) throw new Error('unreachable');
  await requireMayMentionGroups(ctx, text);
  return text;
}

const LONGEST_CLIENT = 100;

async function sendingOf(ctx: Ctx, { client, queue_id, local_id }: Given): Promise<Sending> {
  const name = (client?.trim() || ctx.client).slice(0, LONGEST_CLIENT);
  if (queue_id === undefined || local_id === undefined) return { client: name };
  // Somebody else's queue must not be told of an id that means nothing there.
  if (!(await hasQueue(ctx.db, ctx.realm.id, ctx.me.id, queue_id))) return { client: name };
  return { client: name, local: { queue_id, message_id: local_id } };
}

const readFor = (ctx: Ctx, { read_by_sender }: Given, { client }: Sending): number[] =>
  (read_by_sender ?? startsRead(client)) ? [ctx.me.id] : [];
