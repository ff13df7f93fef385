import type { Ctx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { PreserializedItems, type PreserializedJson } from '../../core/preserialized-json.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { listGroups } from './queries/groups.ts';
import { toVisibleGroup } from './visible.ts';

/** The groups in `POST /register`: the same for all but guests with limited visibility. */
export async function userGroupState(
  ctx: Ctx<SnapshotCaching>,
): Promise<{ realm_user_groups: PreserializedJson<Schema<'UserGroup'>> | Schema<'UserGroup'>[] }> {
  const share = { name: 'groups', invalidatedBy: ['user_group'] } as const;
  const groups = await ctx.server.snapshotCache.getOrCompute(
    ctx,
    share,
    async () => new PreserializedItems(await listGroups(ctx.db, ctx.realm.id), ({ id }) => id),
  );
  return { realm_user_groups: (await toVisibleGroup(ctx, () => groups.items())) ?? groups.all() };
}
