import type { PublicCtx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { presentBot } from './present.ts';
import { listBots } from './queries.ts';

/** The approximate size of a bot in bytes. */
const BOT_BYTES = 500;

/** The active bots of the organization by id, as those who manage them see them. */
export async function getCachedBots(ctx: PublicCtx<SnapshotCaching>): Promise<readonly Schema<'Bot'>[]> {
  // A bot is a user as well: a change of its name is an event about users.
  const share = { name: 'bots', invalidatedBy: ['realm_bot', 'realm_user'] } as const;
  const { bots } = await ctx.server.snapshotCache.getOrCompute(ctx, share, async () => {
    const bots = (await listBots(ctx.db, ctx.realm.id)).map(presentBot);
    return { bots, bytes: bots.length * BOT_BYTES };
  });
  return bots;
}
