import type { CollectionLimiting } from '../../../core/collection-limits.ts';
import type { Ctx, User } from '../../../core/context.ts';
import { hasRoom } from '../../../core/require-room.ts';
import { setTopicPolicy } from '../../topics/index.ts';
import { defaultUserSettings, toUserSettings } from '../../user-settings/index.ts';
import { insertFollowersMentioned } from '../queries/mentions.ts';
import { findSenderContext, type SenderContext } from '../queries/post-context.ts';
import type { SeenMessage } from '../queries/seen.ts';
import { chooseAutomaticPolicy } from '../rules/send.ts';
import type { Posted } from './post.ts';

/**
 * Applies the users' settings for automatic policies to a topic that was just written to
 * (docs/behaviour/topics.md#automatic-policies): a human sender can come to follow or unmute it, and users mentioned by
 * name to follow it. Returns the sender's new policy, if it changed.
 */
export async function followTopicAfterSending(
  ctx: Ctx<CollectionLimiting>,
  stream_id: number,
  posted: Posted,
): Promise<2 | 3 | undefined> {
  const policy = ctx.me.bot_type === null ? await followFor(ctx, stream_id, posted, 'sending') : undefined;
  await followAsMentioned(ctx, stream_id, posted);
  return policy;
}

/** The same for a human who has just reacted to a message: that counts as taking part in its topic, and as nothing more. */
export async function followTopicAfterReacting(ctx: Ctx<CollectionLimiting>, message: SeenMessage): Promise<void> {
  const { conversation_id, topic_id, topic } = message;
  if (ctx.me.bot_type !== null || topic_id === null || topic === null) return;
  const sender = await findSenderContext(ctx.db, ctx.me, { conversation_id, topic_id });
  await followFor(ctx, conversation_id, { topic: { id: topic_id, name: topic }, sender }, 'reacting');
}

/** Whether the message changes no user's policy for its topic. */
export const changesNoPolicy = (
  { me }: Pick<Ctx, 'me'>,
  { sender, mentioned }: { readonly sender: SenderContext; readonly mentioned: readonly number[] },
): boolean => mentioned.length === 0 && (me.bot_type !== null || choosePolicy(me, sender, 'sending') === undefined);

function choosePolicy(me: User, sender: SenderContext, by: 'sending' | 'reacting'): 2 | 3 | undefined {
  const settings = toUserSettings({ ...me, overrides: sender.overrides });
  return chooseAutomaticPolicy({
    by,
    follow: settings.automatically_follow_topics_policy,
    unmute: settings.automatically_unmute_topics_in_muted_streams_policy,
    started: sender.topic_is_empty,
    stream_muted: sender.stream_muted,
    current: sender.policy,
  });
}

async function followFor(
  ctx: Ctx<CollectionLimiting>,
  stream_id: number,
  { topic, sender }: Pick<Posted, 'topic' | 'sender'>,
  by: 'sending' | 'reacting',
): Promise<2 | 3 | undefined> {
  const policy = choosePolicy(ctx.me, sender, by);
  if (policy === undefined) return undefined;
  // A user at the limit of policies can still send and react: the settings just add no further policy.
  if (sender.policy === 0 && !(await hasRoom(ctx, 'user_topics', 1))) return undefined;
  await setTopicPolicy(ctx, { user_id: ctx.me.id, topic, stream_id, visibility_policy: policy });
  return policy;
}

async function followAsMentioned(
  ctx: Ctx<CollectionLimiting>,
  stream_id: number,
  { topic, mentioned }: Posted,
): Promise<void> {
  if (mentioned.length === 0) return;
  const users = await insertFollowersMentioned(ctx.db, {
    realm_id: ctx.realm.id,
    topic_id: topic.id,
    user_ids: mentioned,
    most: ctx.server.collection_limits.user_topics,
    by_default: defaultUserSettings.automatically_follow_topics_where_mentioned,
    now: ctx.now,
  });
  if (users.length === 0) return;
  const last_updated = Math.floor(ctx.now.getTime() / 1000);
  ctx.emit({ type: 'user_topic', stream_id, topic_name: topic.name, last_updated, visibility_policy: 3 }, { users });
}
