import type { Ctx } from '../../../core/context.ts';
import { defaultUserSettings, userSettingsOf } from '../../settings/index.ts';
import { setTopicPolicy } from '../../topics/index.ts';
import { insertFollowersMentioned } from '../queries/mentions.ts';
import { automaticPolicy } from '../rules/send.ts';
import type { Posted } from './post.ts';

/**
 * What people's own settings make of a topic in which something was just written (behaviour 6.2): a human who wrote it may
 * come to follow or unmute it, and whoever was mentioned by name to follow it. Tells what it became for the sender, if it
 * changed.
 */
export async function followAfterwards(ctx: Ctx, stream_id: number, posted: Posted): Promise<2 | 3 | undefined> {
  const policy = ctx.me.bot_type === null ? await followAsSender(ctx, stream_id, posted) : undefined;
  await followAsMentioned(ctx, stream_id, posted);
  return policy;
}

async function followAsSender(ctx: Ctx, stream_id: number, { topic, standing }: Posted): Promise<2 | 3 | undefined> {
  const settings = await userSettingsOf(ctx.db, ctx.me);
  const policy = automaticPolicy({
    follow: settings.automatically_follow_topics_policy,
    unmute: settings.automatically_unmute_topics_in_muted_streams_policy,
    started: standing.topic_is_empty,
    stream_muted: standing.stream_muted,
    current: standing.policy,
  });
  if (policy !== undefined)
    await setTopicPolicy(ctx, { user_id: ctx.me.id, topic, stream_id, visibility_policy: policy });
  return policy;
}

async function followAsMentioned(ctx: Ctx, stream_id: number, { topic, mentioned }: Posted): Promise<void> {
  if (mentioned.length === 0) return;
  const users = await insertFollowersMentioned(ctx.db, {
    realm_id: ctx.realm.id,
    topic_id: topic.id,
    user_ids: mentioned,
    by_default: defaultUserSettings.automatically_follow_topics_where_mentioned,
    now: ctx.now,
  });
  if (users.length === 0) return;
  const last_updated = Math.floor(ctx.now.getTime() / 1000);
  ctx.emit({ type: 'user_topic', stream_id, topic_name: topic.name, last_updated, visibility_policy: 3 }, { users });
}
