import type { Ctx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { type Written, WrittenList } from '../../core/written.ts';
import { listGroups } from './queries/groups.ts';
import { asVisible } from './visible.ts';

/** The groups, as `POST /register` gives them: the same to all but guests with limited sight. */
export async function userGroupState(
  ctx: Ctx,
): Promise<{ realm_user_groups: Written<Schema<'UserGroup'>> | Schema<'UserGroup'>[] }> {
  const share = { name: 'groups', invalidatedBy: ['user_group'] } as const;
  const groups = await ctx.server.snapshotCache.getOrCompute(
    ctx,
    share,
    async () => new WrittenList(await listGroups(ctx.db, ctx.realm.id), ({ id }) => id),
  );
  return { realm_user_groups: (await asVisible(ctx, () => groups.items())) ?? groups.all() };
}
