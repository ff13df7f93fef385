import type { Ctx } from '../../core/context.ts';
import type { Event, Params, Schema } from '../../core/contract.ts';
import { fail, failConflict, failForbidden, failInvalid, failUnknown } from '../../core/errors.ts';
import type { Audience } from '../../core/event-log/audience.ts';
import { bounds } from '../../core/limits.ts';
import type { EphemeralPublishing } from '../../core/polls.ts';
import { countSubscribers, findPostable, findUsersByIdOrEmail } from '../messages/index.ts';
import { findUserSettingsOf } from '../user-settings/index.ts';
import { presentTypingUser } from './present.ts';
import { hasTypingNotices, parseTypingTarget, type TypingTarget } from './rules.ts';

type Op = Params<'setTyping'>['op'];
type To<Type> = Extract<TypingTarget, { type: Type }>;

/** Publishes to the recipients of a message that the caller is writing it, or stopped. Nothing is stored. */
export async function setTyping(ctx: Ctx<EphemeralPublishing>, { op, ...params }: Params<'setTyping'>): Promise<void> {
  const writing = parseTypingTarget(params);
  if ('missing' in writing) {
    const { missing } = writing;
    return fail('REQUEST_VARIABLE_MISSING', `Parameter "${missing}" is missing.`, { var_name: missing });
  }
  return writing.type === 'direct' ? publishToUsers(ctx, op, writing) : publishToStream(ctx, op, writing);
}

/** Deactivated users are still in the conversation; events reach only active users. */
async function publishToUsers(ctx: Ctx<EphemeralPublishing>, op: Op, { to }: To<'direct'>): Promise<void> {
  if (to.length === 0) failInvalid('to: a direct message needs at least one recipient.');
  const found = await findUsersByIdOrEmail(ctx, to);
  const unknown = to.find((id) => !found.has(id));
  if (unknown !== undefined) failUnknown(`to: there is no user ${unknown}.`);
  await requireWillingness(ctx, 'send_private_typing_notifications');
  const accounts = [...new Map([ctx.me, ...found.values()].map((user) => [user.id, user])).values()];
  const recipients = accounts.sort((one, other) => one.id - other.id).map((user) => presentTypingUser(ctx.realm, user));
  const sender = presentTypingUser(ctx.realm, ctx.me);
  const users = recipients.map(({ user_id }) => user_id);
  publish(ctx, { type: 'typing', op, message_type: 'direct', sender, recipients }, { users });
}

async function publishToStream(
  ctx: Ctx<EphemeralPublishing>,
  op: Op,
  { stream_id, topic }: To<'stream'>,
): Promise<void> {
  const postable = await findPostable(ctx, stream_id);
  if (!postable) return failUnknown(`stream_id: there is no stream ${stream_id}.`);
  if (postable.problem !== undefined) failForbidden(postable.problem);
  await requireWillingness(ctx, 'send_stream_typing_notifications');
  const most = bounds.typing_subscribers;
  if (!hasTypingNotices(await countSubscribers(ctx.db, ctx.realm.id, stream_id, most + 1))) return;
  const sender = presentTypingUser(ctx.realm, ctx.me);
  publish(
    ctx,
    { type: 'typing', op, message_type: 'stream', sender, stream_id, topic },
    { conversation: { id: stream_id } },
  );
}

type Willingness = keyof Schema<'UserSettings'> & `send_${string}_typing_notifications`;

async function requireWillingness(ctx: Ctx, setting: Willingness): Promise<void> {
  const settings = await findUserSettingsOf(ctx.db, ctx.me);
  if (!settings[setting]) failConflict(`${setting}: you have chosen not to tell others that you are typing.`);
}

function publish(ctx: Ctx<EphemeralPublishing>, event: Event, audience: Audience): void {
  ctx.server.polls.publishEphemeral({ realm_id: ctx.realm.id, event, audience, at: ctx.now });
}
