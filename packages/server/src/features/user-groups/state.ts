import type { Ctx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import type { PreserializedJson } from '../../core/preserialized-json.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { getCachedGroups } from './cached-groups.ts';
import { toVisibleGroup } from './visible.ts';

/** The groups in `POST /register`: the same for all but guests with limited visibility. */
export async function userGroupState(
  ctx: Ctx<SnapshotCaching>,
): Promise<{ realm_user_groups: PreserializedJson<Schema<'UserGroup'>> | Schema<'UserGroup'>[] }> {
  const { list } = await getCachedGroups(ctx);
  return { realm_user_groups: (await toVisibleGroup(ctx, () => list.items())) ?? list.all() };
}
