import { canAccessStream, canSeeStream } from '../../../access/rules.ts';
import type { Ctx, User } from '../../../core/context.ts';
import type { Schema } from '../../../core/contract.ts';
import { emitRead, markConversationAsRead } from '../../flags/index.ts';
import {
  archiveStreams,
  listWeeklyTraffic,
  presentStream,
  rotateEmailAddresses,
  type Stream,
} from '../../streams/index.ts';
import { deleteTopicPolicies } from '../../topics/index.ts';
import { groupByKey, groupUsersByItems } from '../present.ts';
import { listEmptyStreams } from '../queries/leave.ts';
import { emitPeers } from './emit-peers.ts';

/** A user who was unsubscribed from a stream. */
export interface EndedSubscription {
  readonly stream: Stream;
  readonly user: User;
}

const idsOf = (items: readonly { id: number }[]): number[] => [...new Set(items.map(({ id }) => id))];

/**
 * Applies the consequences of unsubscribing: messages become read, abandoned private streams are archived, and the
 * events are emitted.
 */
export async function emitUnsubscribed(ctx: Ctx, left: readonly EndedSubscription[]): Promise<void> {
  const streams = [...new Set(left.map(({ stream }) => stream))];
  const abandoned = await listEmptyStreams(ctx.db, ctx.realm.id, idsOf(streams.filter((stream) => stream.invite_only)));
  await readEverything(ctx, left);
  const lost = left.filter(({ stream, user }) => !canAccessStream(user, stream, false));
  await forgetTopics(ctx, lost);
  await rotateEmailAddresses(ctx.db, ctx.realm.id, idsOf(lost.map(({ stream }) => stream)));
  emitRemoved(ctx, left);
  const lostVisibility = left.filter(
    ({ stream, user }) => !abandoned.has(stream.id) && !canSeeStream(user, stream, false),
  );
  await emitNoLongerVisible(ctx, lostVisibility);
  const changes = [
    ...groupByKey(
      left.filter(({ stream }) => !abandoned.has(stream.id)),
      ({ stream }) => stream,
    ),
  ];
  await emitPeers(
    ctx,
    'peer_remove',
    changes.map(([stream, pairs]) => ({ stream, user_ids: idsOf(pairs.map(({ user }) => user)) })),
  );
  const last = groupByKey(
    left.filter(({ stream }) => abandoned.has(stream.id)),
    ({ stream }) => stream,
  );
  await archiveStreams(
    ctx,
    [...last].map(([stream, pairs]) => ({
      stream,
      audience: { administrators: true, users: idsOf(pairs.map(({ user }) => user)) },
    })),
  );
}

async function readEverything(ctx: Ctx, left: readonly EndedSubscription[]): Promise<void> {
  const user_ids = idsOf(left.map(({ user }) => user));
  const read = await markConversationAsRead(ctx, user_ids, idsOf(left.map(({ stream }) => stream)));
  for (const { users, items } of groupUsersByItems(read, (numbers) => numbers)) emitRead(ctx, users, items);
}

/** A topic can be renamed while the user cannot see it, so no policy for it is kept. */
async function forgetTopics(ctx: Ctx, lost: readonly EndedSubscription[]): Promise<void> {
  await deleteTopicPolicies(
    ctx,
    lost.map(({ stream, user }) => ({
      stream_id: stream.id,
      user_id: user.id,
      // A user who can no longer see the stream gets no events about its topics. Administrators still see a private
      // stream.
      emits: canSeeStream(user, stream, false),
    })),
  );
}

function emitRemoved(ctx: Ctx, left: readonly EndedSubscription[]): void {
  for (const { users, items } of groupByUsers(left)) {
    const subscriptions = items.map(({ name, id }) => ({ name, stream_id: id }));
    ctx.emit({ type: 'subscription', op: 'remove', subscriptions }, { users });
  }
}

/** Emits `stream` `delete` to users who can no longer see a stream. */
async function emitNoLongerVisible(ctx: Ctx, left: readonly EndedSubscription[]): Promise<void> {
  const known = await presented(ctx, left);
  for (const { users, items } of groupByUsers(left)) {
    ctx.emit({ type: 'stream', op: 'delete', streams: items.map(known) }, { users });
  }
}

async function presented(ctx: Ctx, left: readonly EndedSubscription[]): Promise<(stream: Stream) => Schema<'Stream'>> {
  const traffic = await listWeeklyTraffic(ctx.db, ctx.realm.id, idsOf(left.map(({ stream }) => stream)), ctx.now);
  return (stream) => presentStream(stream, traffic.get(stream.id) ?? null);
}

function groupByUsers(left: readonly EndedSubscription[]): { users: number[]; items: readonly Stream[] }[] {
  const byUser = groupByKey(left, ({ user }) => user.id);
  const streams = new Map([...byUser].map(([user_id, pairs]) => [user_id, pairs.map(({ stream }) => stream)]));
  return groupUsersByItems(streams, ({ id }) => id);
}
