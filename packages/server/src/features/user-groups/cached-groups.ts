import type { PublicCtx, User } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { PreserializedItems } from '../../core/preserialized-json.ts';
import type { SnapshotCaching } from '../../core/snapshot-cache.ts';
import { listGroups } from './queries/groups.ts';
import type { SystemGroupName } from './rules/system.ts';

interface CachedGroups {
  readonly list: PreserializedItems<Schema<'UserGroup'>>;
  readonly full_members: ReadonlySet<number>;
  readonly bytes: number;
}

const FULL_MEMBERS: SystemGroupName = 'role:fullmembers';
/** The approximate size of the id of a full member. */
const ID_BYTES = 32;

/** All groups, serialized once for all users who see every member. */
export function getCachedGroups(ctx: PublicCtx<SnapshotCaching>): Promise<CachedGroups> {
  const share = { name: 'groups', invalidatedBy: ['user_group'] } as const;
  return ctx.server.snapshotCache.getOrCompute(ctx, share, async () => {
    const groups = await listGroups(ctx.db, ctx.realm.id);
    const list = new PreserializedItems(groups, ({ id }) => id);
    const full_members = new Set(groups.find(({ name }) => name === FULL_MEMBERS)?.members);
    return { list, full_members, bytes: list.bytes + full_members.size * ID_BYTES };
  });
}

/** Whether role:fullmembers has a user as a direct member. */
export const isListedAsFullMember = async (
  ctx: PublicCtx<SnapshotCaching>,
  { id }: Pick<User, 'id'>,
): Promise<boolean> => (await getCachedGroups(ctx)).full_members.has(id);
