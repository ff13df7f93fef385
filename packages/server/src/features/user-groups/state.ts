import type { PublicCtx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { listGroups } from './queries/groups.ts';

/** The groups, as `POST /register` gives them. */
export async function userGroupState(ctx: PublicCtx): Promise<{ realm_user_groups: Schema<'UserGroup'>[] }> {
  return { realm_user_groups: await listGroups(ctx.db, ctx.realm.id) };
}
