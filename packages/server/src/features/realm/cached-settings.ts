import type { PublicCtx, RealmSettings } from '../../core/context.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { findRealmOverrides } from './queries/realms.ts';
import { toRealmSettings } from './settings.ts';

/** The approximate size of the settings in bytes, besides those that differ from the defaults. */
const SETTINGS_BYTES = 1000;

/** The settings of the organization in the moment that the transaction sees. */
export async function getCachedSettings(ctx: PublicCtx<SnapshotCaching>): Promise<RealmSettings> {
  const share = { name: 'settings', invalidatedBy: ['realm'] } as const;
  const { settings } = await ctx.server.snapshotCache.getOrCompute(ctx, share, async () => {
    const overrides = await findRealmOverrides(ctx.db, ctx.realm.id);
    return { settings: toRealmSettings(overrides), bytes: SETTINGS_BYTES + JSON.stringify(overrides).length };
  });
  return settings;
}
