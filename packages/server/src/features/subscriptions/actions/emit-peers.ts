import type { PublicCtx } from '../../../core/context.ts';
import { getStreamAudience, type Stream } from '../../streams/index.ts';
import { groupByKey, groupUsersByItems } from '../present.ts';
import { listGuests } from '../queries/list.ts';

/** Users who were subscribed to, or unsubscribed from, a stream. */
export interface PeerChange {
  /** Its state before the change, so that users who were in it then get the event. */
  readonly stream: Stream;
  readonly user_ids: readonly number[];
}

type Op = 'peer_add' | 'peer_remove';

/**
 * Emits to all other users who see the subscribers of a stream (docs/behaviour/subscriptions.md#events-of-subscribing):
 * one event for each stream.
 */
export async function emitPeers(ctx: PublicCtx, op: Op, changes: readonly PeerChange[]): Promise<void> {
  const affected = [...new Set(changes.flatMap(({ user_ids }) => user_ids))];
  const shared = affected.length === 1 ? changes.filter(({ stream }) => !stream.invite_only) : [];
  // One user in many public streams is one event, because all users who see public streams see all of them.
  if (shared.length > 1)
    await emitPeersOfStream(
      ctx,
      op,
      affected,
      shared.map(({ stream }) => stream),
    );
  for (const { stream, user_ids } of shared.length > 1 ? changes.filter(({ stream }) => stream.invite_only) : changes) {
    // Users who are unsubscribed together get each other's removal.
    const except = op === 'peer_remove' && user_ids.length > 1 ? [] : user_ids;
    ctx.emit(
      { type: 'subscription', op, stream_ids: [stream.id], user_ids: [...user_ids] },
      { ...getStreamAudience(stream), except },
    );
  }
}

async function emitPeersOfStream(
  ctx: PublicCtx,
  op: Op,
  user_ids: readonly number[],
  streams: readonly Stream[],
): Promise<void> {
  const emitPeer = (stream_ids: number[], audience: object) =>
    ctx.emit({ type: 'subscription', op, stream_ids, user_ids: [...user_ids] }, { ...audience, except: user_ids });
  const open = streams.filter((stream) => stream.is_web_public).map(({ id }) => id);
  const rest = streams.filter((stream) => !stream.is_web_public).map(({ id }) => id);
  if (open.length > 0) emitPeer(open, { everyone: true });
  if (rest.length === 0) return;
  emitPeer(rest, { non_guests: true });
  // Guests see only the public streams that they are subscribed to.
  const guests = await listGuests(ctx.db, ctx.realm.id, rest);
  const byGuest = groupByKey(guests, ({ user_id }) => user_id);
  for (const { users, items } of groupUsersByItems(byGuest, ({ stream_id }) => stream_id)) {
    emitPeer(
      items.map(({ stream_id }) => stream_id),
      { users },
    );
  }
}
