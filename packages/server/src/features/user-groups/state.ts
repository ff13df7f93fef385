import type { PublicCtx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { type Written, WrittenList } from '../../core/written.ts';
import { listGroups } from './queries/groups.ts';

/** The groups, as `POST /register` gives them: the same to everyone. */
export async function userGroupState(ctx: PublicCtx): Promise<{ realm_user_groups: Written<Schema<'UserGroup'>> }> {
  const share = { name: 'groups', changed_by: ['user_group'] } as const;
  const groups = await ctx.server.shares.take(
    ctx,
    share,
    async () => new WrittenList(await listGroups(ctx.db, ctx.realm.id), ({ id }) => id),
  );
  return { realm_user_groups: groups.all() };
}
