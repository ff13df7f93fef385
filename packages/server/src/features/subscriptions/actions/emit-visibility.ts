import { canAccessStream, canSeeStream } from '../../../access/rules.ts';
import type { PublicCtx } from '../../../core/context.ts';
import { listWeeklyTraffic, presentStream, type Stream } from '../../streams/index.ts';
import { deleteTopicPolicies } from '../../topics/index.ts';
import { groupByKey, groupUsersByItems, presentSubscription } from '../present.ts';
import { listFormerSubscribers, listOutsiders, listSubscribers } from '../queries/list.ts';

/**
 * Emits a changed stream to users who can see it from now on, and its removal to users who no longer can. Returns the
 * former. Subscribers see it before and after.
 */
export async function emitVisibilityChange(ctx: PublicCtx, before: Stream, after: Stream): Promise<number[]> {
  if (before.invite_only === after.invite_only && before.is_web_public === after.is_web_public) return [];
  const outsiders = await listOutsiders(ctx.db, ctx.realm.id, after.id);
  const among = (test: (user: (typeof outsiders)[number]) => boolean) => outsiders.filter(test).map(({ id }) => id);
  const sees = (user: { role: number }, stream: Stream) => canSeeStream(user, stream, false);
  const gained = among((one) => one.is_active && !sees(one, before) && sees(one, after));
  const lost = among((one) => one.is_active && sees(one, before) && !sees(one, after));
  const traffic = (await listWeeklyTraffic(ctx.db, ctx.realm.id, [after.id], ctx.now)).get(after.id) ?? null;
  if (gained.length > 0) await emitGained(ctx, { stream: after, traffic, users: gained });
  // In its previous state: these users must not learn the other changes of the request.
  if (lost.length > 0)
    ctx.emit({ type: 'stream', op: 'delete', streams: [presentStream(before, traffic)] }, { users: lost });
  const blinded = outsiders.filter((one) => canAccessStream(one, before, false) && !canAccessStream(one, after, false));
  await deleteTopicPolicies(
    ctx,
    blinded.map((one) => ({ stream_id: after.id, user_id: one.id, emits: sees(one, after) })),
  );
  return gained;
}

interface Gained {
  readonly stream: Stream;
  readonly traffic: number | null;
  readonly users: readonly number[];
}

async function emitGained(ctx: PublicCtx, { stream, traffic, users }: Gained): Promise<void> {
  const streamObject = presentStream(stream, traffic);
  ctx.emit({ type: 'stream', op: 'create', streams: [streamObject] }, { users });
  // Former subscribers have settings for it, which only a subscription event carries.
  const came = new Set(users);
  const former = (await listFormerSubscribers(ctx.db, ctx.realm.id, stream.id)).filter(({ user_id }) =>
    came.has(user_id),
  );
  const alike = groupUsersByItems(
    groupByKey(former, ({ user_id }) => user_id),
    (own) => ({ ...own, user_id: undefined }),
  );
  for (const { users: user_ids, items } of alike) {
    const subscriptions = items.map((own) => presentSubscription(streamObject, own, []));
    ctx.emit({ type: 'subscription', op: 'add', subscriptions }, { users: user_ids });
  }
  if (former.length > 0) {
    const subscriptions = [{ name: stream.name, stream_id: stream.id }];
    const user_ids = former.map(({ user_id }) => user_id);
    ctx.emit({ type: 'subscription', op: 'remove', subscriptions }, { users: user_ids });
  }
  const subscribers = (await listSubscribers(ctx.db, ctx.realm.id, [stream.id])).get(stream.id) ?? [];
  if (subscribers.length === 0) return;
  ctx.emit({ type: 'subscription', op: 'peer_add', stream_ids: [stream.id], user_ids: subscribers }, { users });
}
