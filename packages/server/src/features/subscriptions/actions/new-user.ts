import type { PublicCtx, User } from '../../../core/context.ts';
import { listStreams } from '../../streams/index.ts';
import { insertHistory } from '../queries/join.ts';
import { lockDefaultStreams } from '../queries/lock.ts';
import { emitPeers } from './emit-peers.ts';
import { insertSubscriptions } from './join.ts';

/** Subscribes a new user to the default streams, with some of their recent messages. Bots are subscribed to none. */
export async function subscribeNewUser(ctx: PublicCtx, user: User): Promise<void> {
  if (user.bot_type !== null) return;
  const locked = await lockDefaultStreams(ctx.db, ctx.realm.id);
  if (locked.size === 0) return;
  // A stream that ceased to be a default stream while this waited for the lock can have become private.
  const streams = (await listStreams({ db: ctx.db, realm: ctx.realm, me: user })).filter(
    ({ id, is_default }) => is_default && locked.has(id),
  );
  await insertSubscriptions(ctx, streams, [user], () => undefined);
  const stream_ids = streams.map(({ id }) => id);
  await insertHistory(ctx.db, { realm_id: ctx.realm.id, user_id: user.id, stream_ids, now: ctx.now });
  await emitPeers(
    ctx,
    'peer_add',
    streams.map((stream) => ({ stream, user_ids: [user.id] })),
  );
}
