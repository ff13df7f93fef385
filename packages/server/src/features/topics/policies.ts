// Topic policies (mute, unmute, follow) when topics are renamed or their messages move.
import type { PublicCtx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { deletePoliciesOf, listPolicyPairs, updatePolicyDates, upsertPolicies } from './policies-sql.ts';

type Policy = Schema<'UserTopic'>['visibility_policy'];

/** A topic and its stream. */
export interface StreamTopic {
  readonly stream_id: number;
  readonly topic_id: number;
  readonly name: string;
}

/** Emits to users with a policy for a renamed topic that the policy has moved with it. */
export async function emitTopicRenamed(ctx: PublicCtx, topic: StreamTopic, before: string): Promise<void> {
  const rows = await updatePolicyDates(ctx.db, ctx.realm.id, topic.topic_id, ctx.now);
  emitPolicy(
    ctx,
    { ...topic, name: before },
    rows.map(({ user_id }) => ({ user_id, policy: 0 })),
  );
  emitPolicy(
    ctx,
    topic,
    rows.map(({ user_id, visibility_policy }) => ({ user_id, policy: visibility_policy })),
  );
}

interface Merge {
  readonly from: StreamTopic;
  readonly to: StreamTopic;
  /** Whether the new topic had no messages before. */
  readonly was_empty: boolean;
  /** Combines two policies of one user. */
  readonly merged: (one: number, other: number) => number;
}

/**
 * Moves the policies with messages that moved from one topic to another, except of users who cannot read the new stream
 * (docs/behaviour/topics.md#policies-after-a-move).
 */
export async function moveTopicPolicies(ctx: PublicCtx, { from, to, was_empty, merged }: Merge): Promise<void> {
  const pairs = await listPolicyPairs(ctx.db, ctx.realm.id, from, to);
  const leaving = pairs.filter((pair) => pair.from_policy !== 0);
  await deletePoliciesOf(ctx.db, ctx.realm.id, from.topic_id);
  const after = pairs.map(({ user_id, from_policy, to_policy, can_read }) => ({
    user_id,
    policy: outcome(from_policy, to_policy),
    to_policy,
    can_read,
  }));
  const changed = after.filter(({ policy, to_policy, can_read }) => can_read && policy !== to_policy);
  await upsertPolicies(ctx.db, { realm_id: ctx.realm.id, topic_id: to.topic_id, now: ctx.now }, changed);
  emitPolicy(
    ctx,
    from,
    leaving.map(({ user_id }) => ({ user_id, policy: 0 })),
  );
  emitPolicy(ctx, to, changed);

  function outcome(one: number, other: number): number {
    if (!was_empty) return merged(one, other);
    return one === 0 ? other : one;
  }
}

/** One event for all users whose policy becomes the same. */
function emitPolicy(
  ctx: PublicCtx,
  { stream_id, name }: StreamTopic,
  accounts: readonly { user_id: number; policy: number }[],
): void {
  const last_updated = Math.floor(ctx.now.getTime() / 1000);
  for (const visibility_policy of [0, 1, 2, 3] as Policy[]) {
    const users = accounts.filter(({ policy }) => policy === visibility_policy).map(({ user_id }) => user_id);
    if (users.length === 0) continue;
    ctx.emit({ type: 'user_topic', stream_id, topic_name: name, last_updated, visibility_policy }, { users });
  }
}
