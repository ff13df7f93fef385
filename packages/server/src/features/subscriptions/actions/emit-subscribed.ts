import { canSeeStream, getOutsideAudience } from '../../../access/rules.ts';
import type { Ctx } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { listDefaultStreams, listWeeklyTraffic, presentStream, type Stream } from '../../streams/index.ts';
import { groupByKey, groupUsersByItems, presentSubscription } from '../present.ts';
import { listSubscribers } from '../queries/list.ts';
import { emitPeers } from './emit-peers.ts';
import type { Joined } from './join.ts';

/** New streams and subscriptions, and the first messages of the streams by stream. */
interface SubscriptionChanges {
  readonly created: readonly Stream[];
  readonly joined: readonly Joined[];
  readonly firsts: ReadonlyMap<number, number>;
}

/** Emits new streams and subscriptions, in the order of docs/behaviour/subscriptions.md#events-of-subscribing. */
export async function emitSubscribed(ctx: Ctx, { joined, created, firsts }: SubscriptionChanges): Promise<void> {
  const known = await presented(ctx, joined, created, firsts);

  emitCreated(ctx, known, created, joined);
  emitNowVisible(
    ctx,
    known,
    joined.filter(({ stream }) => !firsts.has(stream.id)),
  );
  if (created.some((stream) => stream.is_default)) {
    ctx.emit({ type: 'default_streams', default_streams: await listDefaultStreams(ctx) }, { non_guests: true });
  }
  await emitNewSubscribers(ctx, known, joined);
  const arrivals = [...groupByKey(joined, ({ stream }) => stream)];
  await emitPeers(
    ctx,
    'peer_add',
    arrivals.map(([stream, pairs]) => ({ stream, user_ids: pairs.map(({ user }) => user.id) })),
  );
}

type Presented = ReadonlyMap<number, Schema<'Stream'>>;

async function presented(
  ctx: Ctx,
  joined: readonly Joined[],
  created: readonly Stream[],
  firsts: ReadonlyMap<number, number>,
): Promise<Presented> {
  const streams = new Map([...created, ...joined.map(({ stream }) => stream)].map((stream) => [stream.id, stream]));
  const older = [...streams.keys()].filter((id) => !firsts.has(id));
  const traffic = await listWeeklyTraffic(ctx.db, ctx.realm.id, older, ctx.now);
  return new Map(
    [...streams.values()].map((stream) => {
      const first_message_id = firsts.get(stream.id) ?? stream.first_message_id;
      return [stream.id, presentStream({ ...stream, first_message_id }, traffic.get(stream.id) ?? null)];
    }),
  );
}

const pick = (known: Presented, streams: readonly { id: number }[]): Schema<'Stream'>[] =>
  streams.flatMap(({ id }) => known.get(id) ?? []);

function emitCreated(ctx: Ctx, known: Presented, created: readonly Stream[], joined: readonly Joined[]): void {
  const [first] = created;
  // The streams of one request are all of one kind, and all users of the request are in all of them.
  if (!first) return;
  const users = joined.filter(({ stream }) => stream.id === first.id).map(({ user }) => user.id);
  ctx.emit({ type: 'stream', op: 'create', streams: pick(known, created) }, { ...getOutsideAudience(first), users });
}

/** Emits `stream` `create` to users who could not see a stream before they were subscribed. */
function emitNowVisible(ctx: Ctx, known: Presented, joined: readonly Joined[]): void {
  const gainedVisibility = joined.filter(({ stream, user }) => !canSeeStream(user, stream, false));
  const byUser = mapped(
    groupByKey(gainedVisibility, ({ user }) => user.id),
    (pairs) => pairs.map(({ stream }) => stream),
  );
  for (const { users, items } of groupUsersByItems(byUser, ({ id }) => id)) {
    ctx.emit({ type: 'stream', op: 'create', streams: pick(known, items) }, { users });
  }
}

/**
 * The maximum number of subscriber ids in combined events per user. Beyond it each stream has an event of its own, for
 * many users at once.
 */
const MOST_IDS = 1_000_000;

async function emitNewSubscribers(ctx: Ctx, known: Presented, joined: readonly Joined[]): Promise<void> {
  const subscribers = await listSubscribers(ctx.db, ctx.realm.id, [...new Set(joined.map(({ stream }) => stream.id))]);
  const alike = ({ own }: Joined) => ({ ...own, user_id: undefined });
  const bundles = groupUsersByItems(
    groupByKey(joined, ({ user }) => user.id),
    alike,
  );
  const ids = bundles
    .flatMap(({ items }) => items)
    .reduce((sum, { own }) => sum + (subscribers.get(own.stream_id)?.length ?? 0), 0);
  const single = () =>
    [...groupByKey(joined, (one) => JSON.stringify(alike(one))).values()].map((items) => ({
      users: items.map(({ user }) => user.id),
      items: items.slice(0, 1),
    }));
  for (const { users, items } of ids > MOST_IDS && bundles.length > 1 ? single() : bundles) {
    const subscriptions = items.flatMap(({ own }) => {
      const stream = known.get(own.stream_id);
      return stream ? presentSubscription(stream, own, subscribers.get(own.stream_id) ?? []) : [];
    });
    ctx.emit({ type: 'subscription', op: 'add', subscriptions }, { users });
  }
}

const mapped = <K, A, B>(map: ReadonlyMap<K, A>, change: (value: A) => B): Map<K, B> =>
  new Map([...map].map(([key, value]) => [key, change(value)]));
