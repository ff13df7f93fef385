// Guests with limited visibility see only those members of a group whom they can see.
import type { Ctx, PublicCtx } from '../../core/context.ts';
import type { Schema } from '../../core/contract.ts';
import { listVisibleUserIds, splitByVisibility } from '../users/index.ts';

type Group = Schema<'UserGroup'>;

/** Emits which users came into a group, or left it. */
export async function emitMembers(
  ctx: PublicCtx,
  op: 'add_members' | 'remove_members',
  group_id: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const { audience, user_ids } of await splitByVisibility(ctx, ids)) {
    if (user_ids.length > 0) ctx.emit({ type: 'user_group', op, group_id, user_ids }, audience);
  }
}

export async function emitGroup(ctx: PublicCtx, group: Group): Promise<void> {
  for (const { audience, user_ids } of await splitByVisibility(ctx, group.members)) {
    ctx.emit({ type: 'user_group', op: 'add', group: { ...group, members: user_ids } }, audience);
  }
}

/** The groups as the caller can see them; undefined if unchanged. */
export async function toVisibleGroup(ctx: Ctx, list: () => readonly Group[]): Promise<Group[] | undefined> {
  const visible = await listVisibleUserIds(ctx);
  if (visible === 'all') return undefined;
  return list().map((group) => ({ ...group, members: group.members.filter((id) => visible.has(id)) }));
}
